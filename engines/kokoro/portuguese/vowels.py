"""Whether a stressed e or o of a Portuguese word is open, where no accent tells."""

from __future__ import annotations

from engines.kokoro.endings import Endings

_OPEN = """
el eis ol ois elo ela elas ete etes eta esta estas essa esso erto erta erra erve erva erna erno
ega egas ego ebre ebra ece erso ersa erde erca era eva evo eve esse ora oras osa osas ova ovas
olta ota otas ote oga ogas ola olas ole ode odem orte ortes orta ortas orto orma ormas orme ossa
oca obre obra obras ofe olha
"""
_OPEN_WORDS = """
#portos #porcos #esforços #reforços #postos #impostos #ossos #tijolos #fornos #poços #caroços
#destroços #socorros #miolos #fogos #colhe #colhem #bebe #bebem #nosso #nossos #nossas #voz
#querem #sexo #chefe #diverso #diversa #blog #resto #leste #oeste
#nordeste #sudeste #torna #tornam #redor #web #teste #solo #mestre #peça #peço #queda #jorge
#direto #recebe #toque #zero #ferro #tarefa #perna #complexo #completo #decreto #refere #parecem
#posse #começa #começam #corre #ocorre #biblioteca #aspecto #exceto #iorque #possam #topo #quiser
#tiver #der #fizer #estiver #puder #vier #disser #souber #houver #sequer #qualquer iveram iseram
izeram #deram uderam ouberam ouveram #metro #rock #top #melhor #maior #menor #pior #mulher #quer
#quero #queres #era #eram #ela #elas #dela #delas #nela #aquela #aquelas #essa #essas #dessa
#nessa #esta #estas #desta #nesta #pode #podem #deve #devem #quatro #fora #agora #embora #hora
#horas #senhora #novas #nova #nossa #posso #logo #jogos #olhos #ovos #corpos #povos #novos #jovem
#jovens #ordem #perto #projeto #objeto #teto #reto #processo #sucesso #acesso #modo #festa #testa
#terra #guerra #serra #espera #espero #neto #neta #sete #nove #moda #moto #foto #fotos #voto #nota
#volta #voltas #porta #morte #forte #norte #sorte #parece #acontece #conhece #oferece #merece
#gosta #gostam #resposta #proposta #aposta #costa #costas #mostra #prova #provas #roda #loja
#lojas #escola #escolas #bola #cola #controle #sexta #reserva #conversa #universo #verso #inverno
#moderno #caderno #inferno #eterno #pele #pedra #pedras #regra #regras #febre #leve #breve #neve
#greve #novela #janela #panela #vela #tela #tecla #bela #belo #belas #amarelo #castelo #martelo
#caramelo #chinelo #velho #velha #velhos #velhas #ideia #obra #obras #cobra #pobre #nobre #cobre
#gloria #hotel #papel #sol #gol #farol #futebol #espanhol #lençol #dez #mel #cruel #fiel #nobel
#anel #quartel #merda #perde #perdem #serve #servem #segue #seguem #consegue #pede #pedem #mede
#cede #cego #entrega #pega #pegam #nego #alegre #concerto #conserto #deserto #aberto #aberta
#coberto #esperto #alerta #oferta #descoberta #exerce #melhores #maiores #menores #piores
#mulheres #cobrem #sofre #sofrem #move #movem #resolve #volte #volto #toco #toca #foca #foco
#troca #bloco #copo #copa #tropa #europa #derrota #idiota #corta #corte #esporte #transporte
#importa #exporta #comporta #mortos #mortas #morta #discorda #concorda #lorde #bordo #bode #olha
#olham #trabalho #recolhe #escolhe #moro #mora #moram #chora #choram #adora #adoram #adoro
#melhora #namora #demora #explora #ignora #aurora #flora
"""
_CLOSED = """
tora dora sora #esposa #cerca #chega #chegam #sexta #emprego #planeta #meta #perda #devo #acerca
or ores er eza ezas esa esas eja ejo ejam eira eiro oso eito esco esca eço eça edo eda #mesmo
#mesma #mesmos #ele #eles #dele #deles #nele #neles #aquele #aqueles #esse #esses #desse #nesse
#este #estes #deste #neste #por #para #pelo #pela #pelos #pelas #cedo #medo #segredo #dedo #preto
#preta #cabelo #cabelos #modelo #modelos #gelo #selo #verde #rede #sede #parede #cabeça #começo
#preço #seco #todo #toda #todos #todas #outro #novo #povo #corpo #jogo #fogo #olho #osso #posto
#gosto #rosto #porto #morto #sogro #boca #moça #moço #esforço #pouco #roupa #louco #roxo #bolo
#lobo #sobre #hoje #doze #oito #noite #depois #dois #coisa #nome #fome #homem #ontem #como #onde
#dor #amor #flor #cor #senhor #favor #torre #correr #doce #arroz #negro #negra #vez #fez #vezes
#meses #interesse #vermelho #espelho #conselho #aparelho #joelho #coelho #folha #escolha #bolha
#rolha #molho #agosto #garota #garoto #gota #piloto #esgoto #aeroporto #acordo #choro #soro #ouro
#touro #couro #governo #fosse #boa #pessoa #pessoas #lisboa #coroa #leoa #bonde #conta #ponto
#dentro #centro #tempo #sempre #exemplo #momento #gente #frente #certeza #beleza #natureza #mesa
#mesas #presa #surpresa #empresa #empresas #defesa #despesa #inglesa #seja #veja #igreja #cerveja
#beijo #vejo #desejo #queijo #deseja #dezembro #setembro #novembro #outubro #estrela #estrelas
#cadeira #lodo #gordo #gorda #bobo #boba #tola #tolo #polvo #soco #coco #tubarão #temer
"""


_QUALITY = Endings({"open": _OPEN + _OPEN_WORDS, "closed": _CLOSED})


def is_open(word: str) -> bool:
    """Whether the stressed e or o of a word without an accent is open."""
    found = _QUALITY.find(word) or _QUALITY.find(word.removesuffix("s"))
    return found == "open"

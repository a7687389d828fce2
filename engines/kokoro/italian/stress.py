"""Which vowel of an Italian word is stressed, and whether it is open: what spelling hides.

A written accent settles it. Else the longest ending of the tables below does; without one the
stress is on the last syllable but one, and e and o are closed. After the introduction to
L. Canepari, "Dizionario di pronuncia italiana" (1999).
"""

from __future__ import annotations

from engines.kokoro.endings import Endings

_THIRD_ENDINGS = """
abile abili ibile ibili evole evoli ico ica ici iche issimo issima issimi issime esimo esima ologo
ologi ologhi grafo grafi ometro ometri imetro imetri ano arono erono irono avano evano ivano
assero essero issero ebbero endere ondere idere udere ggere ngere ncere rgere scere ettere mpere
rrere rdere lvere lgere indere #ripetere #compiere #promuovere #commuovere scrivere gnere ttere
primere sumere vertere sistere ono olo oli ulo ula uli ule gine gini dine dini udine eo ea ee aneo
anea ido ida idi ide timo tima timi time simo sima simi sime nimo nima nimi itico bolo cito citi
fero fera feri tero tera foro fono foni crate dromo tesi genesi alisi rtice mbero nita bito biti
dito merito mini dice dici tice tici vide sero dero cero ttero ppero llero quero mmelo mmela mmeli
mmele mmene ttelo glielo gliela glieli gliele gliene rmelo rmela rmeli rmele rmene rtelo rtela
rtene rselo rsela rsene rcelo rvelo andolo andola andoli andole andomi andoti andosi andoci andovi
andogli endogli andone endolo
endola endoli endole endomi endoti endosi endoci endovi endone
"""

_SECOND_ENDINGS = """
amico amica amici amiche nemico nemica nemici nemiche antico antica antichi antiche fatica fatiche
formica formiche vescica rubrica pudico federico enrico lombrico uffici edifici benefici sacrifici
felice felici radice radici cornice cornici vernice camice cicatrice cicatrici narice narici trice
trici edificio iano umano americano lontano romano vaticano africano napoletano capitano sovrano
divano metano uragano #pagano toscano urbano sultano pantano milano bolzano lugano germano #strano
invano messicano repubblicano cubano altopiano #volano cristiano #brano grano mediano quotidiano
partigiano artigiano parmigiano grossolano vulcano meridiano abbandono perdono patrono colono
frastuono carbonio parola parole scuola scuole figliolo figliola spagnolo spagnola spagnoli
spagnole pistola pistole viola lenzuolo tovagliolo controllo fagiolo fagioli sola soli volo
mattina vicino vicini vicina vicine bambine benzine medicine cucine regine rovine cantine fine
confine confini cugini bambini giardini contadini cittadini destini cammini magazzini gradini
assassini postini vini gridi grida grido nido nidi #lido sfida sfide fida guida guide guido uccido
uccide decide divide condivide sorride sorrido coincide elide infido omicidi avere vedere sapere
potere dovere volere piacere tenere sedere temere godere cadere rimanere valere parere tacere
giacere mantenere sostenere ottenere contenere trattenere ritenere appartenere rivedere prevedere
provvedere possedere accadere dispiacere #corea museo musei europeo europea europee liceo trofeo
corteo ebreo ebrea ebree ateneo idea idee dea dee marea maree assemblea assemblee diarrea apogeo
giudeo plebeo neo reo sincero severo mistero misteri pensiero intero interi sentiero straniero
leggero cimitero ministero impero zero siero fiero guerriero vero nero intera intere sincera
severa sera sere vera nera maniera maniere bandiera primavera carriera preghiera frontiera miniera
cera galera barriera riviera cameriera straniera leggera costiera invito invita salita partito
partita uscito uscita vita gradito favorito unita finita infinita marito vestito appetito spedito
impedito tradito udito ardito concime sublime regime stima stime rima cima cime prima prime
"""

_THIRD_WORDS = """
#anima #anime #albero #alberi #angelo #angeli #asino #asini #aquila #arabo #arabi #area #aree
#camera #camere #carcere #carceri #cenere #compito #compiti #credito #crediti #debito #debiti
#debole #deboli #decade #diavolo #dodici #domenica #esito #esiti #facile #facili #difficile
#difficili #favola #favole #femmina #femmine #fertile #fragile #genere #generi #giovane #giovani
#gomito #interprete #isola #isole #lacrima #lacrime #lampada #lampade #lettera #lettere #limite
#limiti #macchina #macchine #maschera #massimo #massima #massimi #minimo #minima #mobile #mobili
#napoli #nobile #nobili #nuvola #nuvole #numero #numeri #opera #opere #ordine #ordini #organo
#organi #ospite #ospiti #palpebra #parametro #parametri #pecora #pecore #pentola #perdita #perdite
#polvere #polveri #popolo #popoli #povero #povera #poveri #povere #principe #principi #prossimo
#prossima #prossimi #prossime #pubblico #quindici #undici #tredici #quattordici #sedici #regola
#regole #sabato #scatola #scatole #semplice #semplici #seguito #simile #simili #spirito #spiriti
#stomaco #subito #tavola #tavole #tavolo #tenero #tenera #termine #termini #umile #umili #utile
#utili #inutile #inutili #vergine #vittima #vittime #visita #visite #zucchero #ultimo #ultima
#ultimi #ultime #intimo #intima #fegato #genova #modena #padova #taranto #mantova #bergamo #cesare
#ettore #stefano #passero #epoca #epoche #sindaco #sindaci #farmaco #farmaci #obbligo #obblighi
#dialogo #dialoghi #catalogo #incarico #incarichi #telefono #telefoni #sinonimo #anonimo #abito
#abiti #ambito #ambiti #meriti #transito #deposito #depositi #proposito #propositi #solito #solita
#soliti #solite #insolito #fenomeno #fenomeni #chiedere #credere #prendere #vendere #perdere
#rompere #essere #esseri #vivere #nascere #correre #muovere #succedere #procedere #concedere
#accedere #ricevere #cuocere #comodo #comoda #bussola #mandorla #celebre #celebri #svizzera
#svizzero #agile #stabile #canone #canoni #atomo #atomi #sintomo #sintomi #autonomo #autonoma
#metafora #codice #codici #vescovo #vescovi #oceano #sandalo #scandalo #monaco #cattedra #nomina
#domina #termina #semina #elimina #illumina #immagina #immagino #esamina #determina #considera
#desidera #supera #libera #libero #liberi #libere #genera #merita #tessera #fodera #scapolo
#sciopero #scioperi #decimo #zingaro #zingari #orfano #orfani #bibita #plastica #esercito
#eserciti #internet #video #festival #computer #super #cinema #tramite #linea #linee #crescita
#nascita #vendita #rendita #carattere #caratteri #combattere #ottimo #ottima #ottimi #ottime
#reddito #redditi #laurea #attimo #attimi #uomini #cronaca #cronache #prestito #prestiti #margine
#margini #leader #manager #oscar #partner #occupa #indica #applica #critica #pratica #verifica
#giudica #comunica #dedica #carica #scarica #modifica #significa #pubblica #provoca #replica
#esplica #invoca #fabbrica #veneto #veneti #analisi #ipotesi #sintesi #parentesi #genesi #esserci
#esserlo #aereo #aerei #etere #suocera #suocero #genero #lucida #limita #evita #abita #recita
#capita #medita #agita #esercita #ospita #metodo #metodi #esodo #musica #tecnica #vedova #vedovo
#scegliere #cogliere #togliere #accogliere #raccogliere #sciogliere #etica #dollaro #dollari
#zenzero #benessere #canada #elena #giacomo #anticipo #recupero #olimpiadi #desideri #desidero
#cavolo #vennero #pagina #pagine #crimine #crimini #discutere #aiutano #mescola #tempera #arbitro
#glicine #rimini #pesaro #sassari #trapani #udine #empoli #otranto #brindisi #cagliari #napoli
#pattini #telefona #dimentica #visita #partecipa #interroga #collabora
#arbitri #interpreti #ruvido #avido #avida #fluido #fluidi #candida #solida #valida #acida
#liquida #umida #rapida #timida #nitida #lucido #stupida #placida #cellula #cellule #portico
#traffico #trovano #vescova #vincolo #vincoli #fossero #avessero #potessero #volessero #dovessero
#facessero #stessero #dessero #immagine #immagini #vertice #vertici #simbolo #simboli #singola
#singole #piccola #piccole #gondola #fragola #virgola #tegola #trappola #cupola #formula #formule
#pillola #pillole #briciola #lucciola #tombola #cedola #esteri #estero #mercoledi #cominciano
#mangiano #lasciano #cambiano #iniziano #studiano #abbiano #siano #sappiano #vogliano #facciano
#possano #debbano #vadano #vengano #dicano #stiano #diano #sparano #tentano #colera #chiacchiera
#polizza #pizzico #orrido #vendono #mettono #chiudono #credono #corrono #rispondono #scrivono
#leggono #vivono #prendono #chiedono #individuo #ambiguo #perpetuo #assiduo #logico #indice
#indici #complice #complici #calice #vortice #giudice #giudici #medico #medici #ossigeno #idrogeno
#profugo #profughi #indigeno #diametro #perimetro #semaforo #fosforo #anfora #sessantesimo
"""

_STRESSED_I = """
polizia magia magie bugia bugie follia allegria energia energie economia economie farmacia
farmacie compagnia malattia malattie tuttavia gelosia poesia poesie fantasia fantasie garanzia
garanzie crazia crazie cortesia categoria categorie teoria teorie #maria #lucia #sofia #turchia
liturgia terapia terapie addio #pendio brusio ronzio mormorio periferia batteria batterie libreria
librerie gelateria pizzeria galleria gallerie grafia grafie sofia sofie logia logie nomia fonia
ironia mania agonia armonia simpatia antipatia apatia nostalgia ingegneria segreteria lotteria
osteria trattoria lavanderia fattoria allergia allergie chirurgia pazzia ungheria lombardia
monarchia anarchia gerarchia restio natio oblio fruscio calpestio razzia pulizia pulizie carestia
eresia epidemia anemia telepatia anestesia ipocrisia frenesia parodia melodia geometria simmetria
agenzia agenzie ossia albania romania tirania bramosia profezia amnesia sinfonia macelleria
panetteria tesoreria cavalleria artiglieria fanteria
"""

_OPEN = """
ento enza enze enzo ello ella elli elle ebbe ebbero ensa enso ensi erso ersi ersa erse erto erta
erti
erte ervo erva ervi erno erni erna erra erre erba ergo eo ea ei ee eco eca ema emi emio empo empi
empre erio eria erie esi esia ezia ezio ecie etro etri ebre ettro ecolo ecoli egua elica emica
enico enica etico etica erico erica esimo esima endere endo enda ende endi eggere eggo egge eziale
oria orio orico orica otto otte otti otta ollo olla olle orto orta orti orte orpo orpi orza ormula
oglio oglia oglie olgo olgere olgono ola oda odo odi omo omi oco oca oche ochi ogo oga oghi ota
ote oto oti ova ovo ovi opa ope opera opere osta oste otico otica onico onica omico omica ologo
ologi ologica ologico ogico ogica
"""

_OPEN_WORDS = """
#euro #bene #tempo #sempre #senza #gente #essere #era #erano #terra #sette #festa #testa #presto
#resto #medico #medici #problema #problemi #sistema #sistemi #prezzo #prezzi #mezzo #mezza #mezzi
#letto #letti #petto #aspetto #effetto #effetti #progetto #progetti #oggetto #oggetti #perfetto
#diretto #concetto #rispetto #difetto #architetto #soggetto #corretto #affetto #greco #greci #eco
#premio #genio #sei #lei #legge #leggi #vecchio #vecchia #vecchi #specchio #secolo #genere #zero
#guerra #ferro #certo #aperto #perso #inverno #governo #quaderno #merce #serie #seria #serio #rene
#insieme #speme #estremo #supremo #prete #poeta #pianeta #profeta #decreto #completo #completa
#concreto #sede #erede #rimedio #medio #media #medie #dieci #specie #breve #greve #leva #celebre
#febbre #pezzo #pezzi #fratello #sorella #bello #bella #modesto #onesto #foresta #protesta
#richiesta #inchiesta #presente #dente #denti #cliente #clienti #niente #recente #recenti
#differente #evidente #presidente #agente #agenti #ambiente #conveniente #potente #corrente
#studente #studenti #centro #centri #esempio #esempi #vento #membro #membri #tecnico #tecnica
#adesso #processo #successo #accesso #ingresso #congresso #interesse #presso #spessore #deve #devi
#devono #nel #ed #sento #senti #sente #senso #penso #pensi #pensa #pensano #parente #parenti
#termine #termini #perdita #perdere #servo #serve #serva #servono #verso #aperta #coperta #esperto
#esperti #lettera #lettere #certa #certi #certe #feste #vieni #viene #tiene #tieni #siedo #pietra
#dietro #ieri #cielo #fiera #piena #pieno #chiesa #ho #no #so #sto #do #cosa #cose #poco #poca
#pochi #oggi #otto #notte #notti #donna #donne #modo #modi #porta #porte #porto #forte #forti
#morte #corpo #corpi #forza #forze #nostro #nostra #nostri #nostre #vostro #vostra #posso #possono
#possa #possano #tosto #piuttosto #arrosto #costa #volta #volte #parola #parole #scuola #soldi
#soldo #sciocco #tocco #occhio #occhi #ginocchio #troppo #troppa #troppi #coppia #coppie #prova
#prove #provo #trova #trovo #trovi #trovano #nove #uova #foglia #foglio #fogli #voglio #voglia
#gloria #storia #storie #memoria #vittoria #moto #foto #nota #note #noto #noti #moda #codice
#codici #opera #opere #prossimo #prossima #prossimi #piove #coro #tesoro #oro #tesori #ruolo
#spagnolo #mobile #mobili #nobile #ospite #ospiti #obbligo #organo #organi
#povero #povera #poveri #solito #solita #proposito #cronaca #sciopero #vuoi #puoi #tuoi #suoi #poi
#eroi #europa #rosa #sposa #posta #poste #globo #comodo #modulo #dollaro #dollari #collo #colla
#comunità #socio #soci #negozio #negozi #ozio #uomo #uomini #buon #suono #gioia #noia #storico
#storica #economico #economica #logica #logico #simbolico
"""

_CLOSED = """
mente mento menti menta mentre ione ioni ore ori oso osa osi ose etto etta etti ette ezza ezze
evole #questo #questa #questi #queste #quello #quella #quelli #quelle #stella #stelle #capello
#capelli #nome #nomi #come #sono #dove #ora #ore #ancora #allora #mondo #secondo #fondo #tondo
#giorno #giorni #torno #ritorno #molto #molta #molti #molte #sotto #rosso #rossa #posto #posti
#bocca #mosca #corso #corsi #forse #colpa #colpo #conto #conti #ponte #fronte #monte #monti #dolce
#croce #voce #voci #veloce #noce #sole #solo #sola #soli #volo #popolo #mentre #vero #vera #veri
#nero #nera #neri #sera #sere #mese #mesi #paese #paesi #meno #almeno #pieno #piena #treno #freno
#sereno #terreno #pena #cena #mettere #mette #metto #credere #credo #crede #crescere #cresce
#fermo #ferma #fresco #tedesco #tedeschi #pesce #pesci #neve #rete #reti #segreto #moneta #seta
#tela #vela #mela #candela #tre #legno #segno #segni #regno #degno #bevo #beve #del #della #delle
#dello #degli #nella #nelle #nello #elemento #con #non #per #che #se #te #me #ne #le #ce #ve
#vendita #vendere #vende #vendo #venti #trenta #vescovo #scelto #scelta #scelte #nessuno #lavoro
#lavori #loro
"""


def _clean(text: str) -> list[str]:
    return [ending for ending in text.split() if not ending.endswith("")]


_STRESS = Endings({"third": _THIRD_ENDINGS + _THIRD_WORDS, "second": _SECOND_ENDINGS})
_HIATUS = Endings({"yes": _STRESSED_I, "no": "#germania #campania #bulgaria #smania #miseria"})
_CUT_SHORT = Endings(
    {"yes": "ar ir or ior #aver #saper #voler #poter #dover #veder #tener buon uon qual tal quel"}
)
_QUALITY = Endings({"open": _OPEN + _OPEN_WORDS, "closed": _CLOSED})


def is_fourth_from_end(word: str) -> bool:
    """Whether it is the plural of a verb that is stressed on the last but two ("àbitano")."""
    is_plural = word.endswith("ano") and is_third_from_end(word)
    return is_plural and _STRESS.find(word[:-2]) == "third"


def is_third_from_end(word: str) -> bool:
    """Whether a word without a written accent has its stress on the last syllable but two."""
    return _STRESS.find(word) == "third"


def has_stressed_i(word: str) -> bool:
    """Whether the i before the last vowel is stressed ("energia")."""
    return _HIATUS.find(word) == "yes"


def is_cut_short(word: str) -> bool:
    """Whether a word that ends in a consonant lacks a vowel after the stressed one ("signor")."""
    return _CUT_SHORT.find(word) == "yes"


def is_open(word: str, place: int) -> bool:
    """Whether the stressed e or o at a place is the open one."""
    if word[place] in "èòéó":
        return word[place] in "èò"
    if word[place - 1 : place + 1] in ("ie", "uo"):
        return True
    return _QUALITY.find(word) == "open"

"""French words that no rule reads right, without their stress, and which "-ent" is heard."""

from __future__ import annotations

from engines.kokoro.endings import Endings

_PAIRS = """
abdomen abdɔmɛn adéquat adekwa aquarium akwaʁjɔm aquatique akwatik équateur ekwatœʁ équation
ekwasjɔ\u0303 équatorial ekwatoʁjal quatuor kwatyɔʁ reims ʁɛ\u0303s square skwaʁ
nord-est nɔʁɛst sud-est sydɛst ai e aiguille eɡyij alcool alkɔl alex alɛks amer amɛʁ août ut
aspect aspɛ
atlas atlas autobus otobys automne otɔn auxquelles okɛl auxquels okɛl baptême batɛm
basket baskɛt bis bis bonus bonys box bɔks brut bʁyt bus bys but byt buts byt bœufs bø
cactus kaktys campus kɑ\u0303pys cancer kɑ\u0303sɛʁ cap kap ces se cet sɛt chut ʃyt clef kle
clip klip club klœb clubs klœb com kɔm condamner kɔ\u0303dane condamné kɔ\u0303dane
consensus kɔ\u0303sɛ\u0303sys cool kul correct koʁɛkt cul ky damné dane david david des de
design dizajn desquels dekɛl diagnostic djaɡnɔstik dix dis donald donald donc dɔ\u0303k dot dɔt
déficit defisit email imɛl emmanuel ɛmanyɛl enfer ɑ\u0303fɛʁ est ɛ est-ce ɛs et e etc ɛtseteʁa
eu y eue y eus y eut y ex ɛks exact ɛɡzakt examen ɛɡzamɛ\u0303 facebook fɛjsbuk faisaient fəzɛ
faisais fəzɛ faisait fəzɛ faisant fəzɑ\u0303 faisons fəzɔ\u0303 fan fan fans fan femme fam
femmes fam fier fjɛʁ fils fis foot fut football futbol fusil fyzi gars ɡa gaz ɡaz
gentil ʒɑ\u0303ti gentils ʒɑ\u0303ti google ɡuɡœl granit ɡʁanit gratis ɡʁatis hier jɛʁ hiver ivɛʁ
huit yit
hyper ipɛʁ hélas elas instinct ɛ\u0303stɛ\u0303 inter ɛ\u0303tɛʁ internet ɛ\u0303tɛʁnɛt
interview ɛ\u0303tɛʁvju islam islam jadis ʒadis jazz ʤaz jean ʒɑ\u0303 jeanne ʒan jeans ʤin
job ʤɔb jérusalem ʒeʁyzalɛm km kilomɛtʁ laser lazɛʁ leader lidœʁ les le lesquelles lekɛl
lesquels lekɛl linguistique lɛ\u0303ɡyistik longtemps lɔ\u0303tɑ\u0303 lorsque lɔʁskə
madrid madʁid mail mɛl manager manaʤœʁ marketing maʁkətiŋ mars maʁs max maks maïs mais mes me
messieurs mesjø mm milimɛtʁ mme madam monsieur məsjø mœurs mœʁs net nɛt new nju
néanmoins neɑ\u0303mwɛ\u0303 oasis oazis oeil œj ok oke os ɔs ours uʁs outil uti outils uti
parking paʁkiŋ pizza piʣa pop pɔp presque pʁɛskə processus pʁosɛsys pub pœb puisque pyiskə
que kə quelque kɛlkə quelques kɛlkə quoique kwakə respect ʁɛspɛ sculpture skyltyʁ
second səɡɔ\u0303 secondaire səɡɔ\u0303dɛʁ seconde səɡɔ\u0303d secondes səɡɔ\u0303d
sens sɑ\u0303s sept sɛt septième sɛtjɛm ses se shopping ʃɔpiŋ show ʃo six sis
soixante swasɑ\u0303t solennel solanɛl sourcil suʁsi stop stɔp streaming stʁimiŋ sud syd
super sypɛʁ suspect syspɛ tennis tenis terminus tɛʁminys tes te tom tɔm top tɔp tous tus
transit tʁɑ\u0303zit transition tʁɑ\u0303zisjɔ\u0303 twitter twitœʁ van van virus viʁys
bruxelles bʁysɛl bruxellois bʁysɛlwa bruxelloise bʁysɛlwaz auxerre osɛʁ aix ɛks metz mɛs pouls pu
cassis kasis anis anis iris iʁis tournevis tuʁnəvis lys lis distinct distɛ\u0303
papyrus papiʁys blocus blɔkys détritus detʁitys lotus lɔtys omnibus ɔmnibys utérus yteʁys hiatus
jatys humus ymys lapsus lapsys fœtus fetys foetus fetys prospectus pʁɔspɛktys eucalyptus økaliptys
hibiscus ibiskys cursus kyʁsys rictus ʁiktys rébus ʁebys crocus kʁɔkys focus fɔkys stimulus
stimylys cumulus kymylys tonus tɔnys minus minys opus ɔpys typhus tifys corpus kɔʁpys ficus fikys
vénus venys airbus ɛʁbys uranus yʁanys malus malys sinus sinys radius ʁadjys cosmos kɔsmɔs pathos
patɔs rhinocéros ʁinoseʁɔs albinos albinɔs tétanos tetanɔs thermos tɛʁmɔs albatros albatʁɔs
pancréas pɑ\u0303kʁeas arras aʁas douglas duɡlas texas tɛksas dallas dalas alès alɛs dax daks
rodez ʁodɛs cadix kadis suez syɛz gers ʒɛʁs doubs du saint-saëns sɛ\u0303sɑ\u0303s saëns sɑ\u0303s
berlioz bɛʁljoz agen aʒɛ\u0303 vosges voʒ descartes dekaʁt montpellier mɔ\u0303pəlje zurich zyʁik
lens lɑ\u0303s rouen ʁwɑ\u0303 millau mijo decathlon dekatlɔ\u0303 asthme asm isthme ism mat mat
fat fat scorbut skɔʁbyt azimut azimyt rut ʁyt mazout mazut prurit pʁyʁit joug ʒu legs lɛ grog ɡʁɔɡ
iceberg ajsbɛʁɡ damner dane zinc zɛ\u0303ɡ eczéma ɛɡzema persil pɛʁsi oeufs ø cerf sɛʁ cerfs sɛʁ
nerf nɛʁ nerfs nɛʁ clerc klɛʁ leclerc ləklɛʁ xavier ɡzavje gang ɡɑ\u0303ɡ toast tost faon fɑ\u0303
paon pɑ\u0303 taon tɑ\u0303 laon lɑ\u0303 oignon ɔɲɔ\u0303 oignons ɔɲɔ\u0303 baptiser batize
baptisé batize baptisée batize sculpter skylte sculpté skylte sculpteur skyltœʁ promptement
pʁɔ\u0303tmɑ\u0303 poêle pwal poêles pwal moelle mwal moelleux mwalø aquarelle akwaʁɛl croc kʁo
accroc akʁo escroc ɛskʁo broc bʁo quartz kwaʁts
wagon vaɡɔ\u0303 week-end wikɛnd weekend wikɛnd zut zyt œufs ø
"""
_TOKENS = _PAIRS.split()
WORDS: dict[str, str] = dict(zip(_TOKENS[::2], _TOKENS[1::2], strict=True))

ENT = Endings(
    {
        "silent": """ent #aiment forment dorment ferment nomment
        somment firment stiment priment #animent
        #riment sument allument fument calment #blâment #clament clament #entament arment""",
        "heard": """ment tient vient scent ident édent
        rgent équent oquent client patient dient pient
        scient vénient #excellent iolent valent solent ulent érent parent urrent apparent
        fluent #argent #agent #régent #souvent #vent #couvent #avent #auvent #paravent #cent
        #dent #accent #talent #lent #relent #absent #présent #sent #consent #ressent
        #content #mécontent compétent #latent #pénitent intermittent permanent continent
        éminent imminent pertinent #serpent #récent #décent #innocent pourcent #orient
        #quotient #ment #dément #torrent intelligent #laurent #vincent négligent diligent
        #exigent indulgent contingent""",
    }
)
"""Whether the end of a word in "-ent" is a nasal vowel, or a verb's silent one."""

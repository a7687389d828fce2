"""Frequent small words of languages in the Latin script, and letters that tell them apart.

Written from what speakers know of them, to tell languages apart in the sentences that people send;
languages that no engine here speaks are among them, so that they are not taken for another.
"""

from __future__ import annotations

from collections.abc import Mapping

WORDS: Mapping[str, frozenset[str]] = {
    "en": frozenset(
        "the and of to in is it you that he was for on are with as his they at be this have from "
        "or had by but what some we can out other were all there when up your how said an each "
        "she a which do their if will about many then them would so these her him has more could "
        "my than been who its now did get made after not very where please hello yes thanks i me "
        "our us just no don't i'm it's let's didn't doesn't can't isn't that's i'll we'll you're "
        "must should shall may might am going into over only before never always every here why "
        "again still because while until without".split()
    ),
    "es": frozenset(
        "el la los las de que y a en un una es por con para se del al lo como más pero sus le ya "
        "este esta sí porque cuando muy sin sobre también me hasta hay donde quien desde todo nos "
        "durante uno ni contra ese eso mi qué está están soy eres somos tengo hola gracias buenos "
        "buenas días señor señora usted ustedes nada favor quisiera hoy ayer mañana bien aquí yo "
        "tú te su no si o fue era ha he han son ser tiene tienen puede cómo dónde cuándo nunca "
        "siempre ella ellos nosotros mis tus esa estos estas algo alguien nadie mucho mucha poco "
        "antes después ahora entonces todos todas otra otro "
        "él cada aquel aquella aquellos aquellas tan nuestra nuestro jamás quizás quién "
        "algún alguna".split()
    ),
    "fr": frozenset(
        "le la les de des du et a à est un une que qui dans pour pas sur au aux avec ce cette il "
        "elle nous vous ils je tu ne se sont plus par mais ou où son sa ses leur être avoir fait "
        "tout comme si été même aussi bien sans très bonjour merci oui c'est j'ai d'un d'une l'on "
        "qu'il n'est quand mon ma mes votre notre chez voici hier demain aujourd'hui y en on lui "
        "elles ces cet ont était avait peut faut quel quelle toujours jamais encore rien tous "
        "toute ton ta tes donc alors après avant sous entre depuis "
        "cela celle celui quelqu'un personne chaque aucun vos eux moi toi leurs".split()
    ),
    "it": frozenset(
        "il lo la i gli le di che e è a un una in per con non si del della dei delle al alla nel "
        "nella sono da come più ma anche se questo questa ha ho hanno era quando molto dove chi "
        "perché ci mi ti loro suo sua tutto tutti cosa ciao grazie buongiorno signore signora "
        "sei siamo oggi ieri domani bene qui io tu lui lei dal dalla sul sulla degli ai uno o ne "
        "vi già mai sempre ancora niente nessuno mio mia tuo tua nostro essere stato fatto può "
        "deve prima dopo poi così ogni alle dalle sulle quello quella quale fra tra "
        "cui quelle quegli nostra alcuni qualcuno stava stavano vorrei potresti dovresti "
        "lì là".split()
    ),
    "pt": frozenset(
        "o a os as de que e do da em um uma para com não no na por mais dos das se como mas foi "
        "ao ele ela sua seu ou quando muito nos já eu também só pelo pela até isso entre depois "
        "sem mesmo aos seus quem nas me esse eles você essa num nem às minha têm está são olá "
        "obrigado obrigada bom dia senhor senhora hoje ontem amanhã bem aqui tudo é meu minha "
        "nós vocês elas este esta isto onde porque era ser ter tem há vai vou pode nada ninguém "
        "sempre nunca ainda agora todos todas outro outra à uns umas estava "
        "cada aquele aquela aquelas aqueles tão nosso nossa deles dele dela daquela "
        "alguém você vamos".split()
    ),
    "de": frozenset(
        "der die das und ist in den von zu mit sich des auf für nicht ein eine als auch es an "
        "werden aus er hat dass sie nach wird bei einer um am sind noch wie einem über einen so "
        "zum war haben nur oder aber vor zur bis mehr durch man sein wurde ich du wir ihr hallo "
        "machst macht danke guten heute gestern morgen bitte ja nein sehr gut hier was wo wer "
        "dem im beim vom ihm ihn ihnen mir mich dir dich uns euch mein meine meinen dein deine "
        "unser unsere seine kein keine wenn weil dann schon immer wieder habe hast kann kannst "
        "muss will möchte geht gibt jetzt warum wann diese dieser dieses alle etwas nichts "
        "sich keiner seit niemand jemand jeden jeder jedes viel viele ganz solche welche "
        "unter gegen".split()
    ),
    "nl": frozenset(
        "de het een en van ik je hij zij we wij ze dat die dit niet is in op te met voor zijn was "
        "aan er om ook als maar uit naar bij nog door over dan wat kan heeft heb hebben wordt "
        "worden geen mijn jouw haar hun ons onze u deze waar wie hoe waarom al wel meer zo naar "
        "moet wil gaat gaan komt hallo bedankt graag vandaag gisteren morgen goed heel veel "
        "altijd nooit tot tegen onder zonder hier daar toen omdat maken alle iets niets "
        "die men hen bent ben zal zou niemand iemand ooit elke ieder eens zelf twee drie".split()
    ),
    "sv": frozenset(
        "och i att det som en på är av för med den till inte har de ett om var jag du han hon vi "
        "ni man från men sig så hade eller vid kan nu efter upp bara när in ut över ska skulle "
        "mycket mer också min din sin vår där här hur vad vem varför idag igår imorgon hej tack "
        "mig dig oss dem alla något ingen måste vill blir blev varit mot utan mellan "
        "de någon hennes hans deras aldrig alltid någonsin varje två tre lite".split()
    ),
    "da": frozenset(
        "og i at det som en på er af for med den til ikke har de et om var jeg du han hun vi man "
        "fra men sig så havde eller ved kan nu efter op bare når ind ud over skal ville meget mere "
        "også min din sin vores der her hvor hvad hvem hvorfor hvordan dag går morgen hej tak mig "
        "dig os dem alle noget ingen må vil bliver blev være mod uden mellem blive være".split()
    ),
    "nb": frozenset(
        "og i at det som en på er av for med den til ikke har de et om var jeg du han hun vi man "
        "fra men seg så hadde eller ved kan nå etter opp bare når inn ut over skal ville mye mer "
        "også min din sin vår der her hvor hva hvem hvorfor hvordan dag går morgen hei takk meg "
        "deg oss dem alle noe ingen må vil blir ble være mot uten mellom".split()
    ),
    "fi": frozenset(
        "ja on ei se että hän oli ovat mutta kun niin minä sinä me te he tämä joka myös kuin jos "
        "mitä missä miksi kuka miten nyt sitten vain vielä olen olet ole ollut voi pitää täällä "
        "siellä hyvää kiitos hei tänään eilen huomenna hyvin paljon aina tai minun sinun hänen "
        "kaikki jotain en et emme eivät jo niitä tämän sen "
        "joku kukaan heidän meidän teidän eikä ovat kolme kaksi koskaan aina niin hyvä".split()
    ),
    "pl": frozenset(
        "i w nie na się że z do to jest o jak co ale po za od tak czy już tylko jego jej przez "
        "może by był była było są być ja ty on ona my wy oni mnie mi cię ci nas was ich ten ta "
        "tego tej dla kiedy gdzie kto dlaczego bardzo dzień dobry dziękuję proszę dziś dzisiaj "
        "wczoraj jutro tu tam więc jeśli bo który która które jeszcze zawsze nigdy wszystko "
        "mój moja moje mam masz ma mamy musi chcę "
        "oraz przy lub też ich jeszcze nikt ktoś coś wszystkie każdy każdego trzy dwa te "
        "ale taki".split()
    ),
    "cs": frozenset(
        "a v je se na že to s z do i o jak co ale po za od tak už jen jeho její by byl byla bylo "
        "jsou být já ty on ona my vy oni mě mi tě nás vás jejich ten ta toho pro když kde kdo proč "
        "velmi dobrý den děkuji prosím dnes včera zítra tady tam protože který která které ještě "
        "vždy nikdy všechno můj moje mám máš má máme musí chci jsem jsi jsme ne ano nebo "
        "si tento tuto o ty ten nikdo někdo každý všechny jejich trochu dvě tři co".split()
    ),
    "hu": frozenset(
        "a az és hogy nem is egy van volt ez de csak meg már én te ő mi ti ők ha mint még el ki "
        "most akkor itt ott hol mikor miért hogyan nagyon jó napot köszönöm kérem ma tegnap holnap "
        "vagy minden mert lesz lehet kell nincs vagyok neki nekem velem amit ami aki sem".split()
    ),
    "ro": frozenset(
        "și în de la a nu că este cu pe o un să se din mai pentru care ce am ai are sunt eu tu el "
        "ea noi voi ei lui dar sau dacă când unde cum foarte bine bună ziua mulțumesc astăzi ieri "
        "mâine aici acolo toate acest această meu mea fost fi era îmi îi ne vă le iar după până "
        "fără despre doar încă niciodată "
        "lui ei lor mi te îl îmi ți fiecare nimeni cineva doi trei toți toate acel acea "
        "lângă avem vom".split()
    ),
    "tr": frozenset(
        "ve bir bu da de için ile çok ne o ben sen biz siz var yok mı mi mu mü değil daha ama gibi "
        "en kadar sonra önce her şey şu olarak oldu olan nasıl nerede neden kim bugün dün yarın "
        "merhaba teşekkürler lütfen evet hayır burada orada şimdi ki ya hiç bana sana ona benim "
        "senin onun bizim sizin iyi güzel zaman gün "
        "biri birisi her hiç üç iki gelen bize ise bütün biraz olan kendi".split()
    ),
    "vi": frozenset(
        "và là của có không tôi bạn anh em chị ông bà được cho này đó trong với các một những đã "
        "sẽ đang khi người ở từ như cũng rất nhiều hôm nay mai qua xin chào cảm ơn gì đâu sao ai "
        "nào lúc đi đến về làm nhà nước năm ngày thì mà nếu vì nên lại ra vào "
        "nó chúng họ mình ba hai mọi ấy chưa không bao giờ rồi vẫn".split()
    ),
    "id": frozenset(
        "dan yang di ke dari ini itu untuk dengan tidak saya kamu anda dia kami kita mereka ada "
        "adalah akan sudah belum juga pada dalam atau tetapi karena jika apa siapa mana bagaimana "
        "mengapa kapan hari kemarin besok terima kasih selamat pagi bisa harus lebih sangat "
        "banyak orang semua satu oleh seperti lagi sekarang "
        "nya para sebuah tiga dua yang setiap seseorang jangan pernah tidak hampir "
        "tentang lebih tolong".split()
    ),
    "ca": frozenset(
        "el la els les de que i a en un una és per amb no es del al com més però seu seva ja "
        "aquest aquesta quan molt sense sobre també fins hi on qui des tot ens jo tu ell ella "
        "nosaltres avui ahir demà bé aquí gràcies bon dia perquè està són tinc té puc dels als "
        "meva meu res mai sempre ara després".split()
    ),
}

LETTERS: Mapping[str, tuple[str, str]] = {
    "en": ("", ""),
    "es": ("ñ¿¡", "áíóúü"),
    "fr": ("œæëîïûùÿ", "àâçèéêô"),
    "it": ("ìò", "àèéù"),
    "pt": ("ãõ", "áâàçéêíóôú"),
    "de": ("ß", "äöü"),
    "nl": ("ĳ", "ëï"),
    "sv": ("", "åäö"),
    "da": ("", "åæø"),
    "nb": ("", "åæø"),
    "fi": ("", "äö"),
    "pl": ("łąęśźż", "ćńó"),
    "cs": ("řěů", "čšžýáíé"),
    "hu": ("őű", "áéíóöüú"),
    "ro": ("ățșţ", "âî"),
    "tr": ("ğı", "şçöü"),
    "vi": ("ơưđ", "ăâêôàáãèéìíòóõùúýạảấầẩậắằặẹẻẽếềểệịỉĩọỏốồổộớờởợụủũứừửựỳỵ"),
    "id": ("", ""),
    "ca": ("·", "àçèéíïòóú"),
}
"""Letters that only one of these languages has, and those that it shares with others."""

ENDINGS: Mapping[str, tuple[str, ...]] = {
    "en": ("ing", "tion", "ness", "ly", "ould", "ght"),
    "es": ("ción", "ciones", "dad", "mente", "ando", "iendo", "ía", "ños", "illo"),
    "fr": ("tion", "ment", "eux", "euse", "eau", "aient", "ité", "oir", "ée", "és"),
    "it": ("zione", "zioni", "mente", "gli", "tà", "iamo", "ezza", "otto", "orno", "iere", "eno"),
    "pt": ("ção", "ções", "dade", "mente", "inho", "inha", "amos", "agem", "ões"),
    "de": ("ung", "keit", "heit", "lich", "isch", "chen", "schaft", "cht"),
}
"""Endings of words of the languages that are spoken, and of German."""

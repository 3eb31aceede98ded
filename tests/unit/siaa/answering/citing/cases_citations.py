"""Sentences and how they stand: a small agreement and a regulation of our own, cut into passages."""

from __future__ import annotations

PLAZO = (
    "ARTÍCULO 1. Plazo. Los funcionarios responsables reportan la información a más tardar el quinto día hábil del mes "
    "siguiente al trimestre. El plazo no se prorroga. Quien reporte fuera de término responde ante el consejo "
    "seccional, salvo que haya fuerza mayor."
)
DEBERES = (
    "ARTÍCULO 14. Deberes. El secretario guarda copia de cada formulario durante cinco (5) años. Los empleados no "
    "pueden delegar la firma del reporte. La multa es de dos mil (2.000) pesos por cada formulario, según el "
    "artículo 1."
)
VIGENCIA = (
    "ARTÍCULO 20. Vigencia. El presente acuerdo rige desde el 15 de abril de 2016 y deroga el Acuerdo PSAA11-8716. "
    "Si el despacho se suprime, el archivo pasa al consejo seccional. La tasa es del 5% o del 7,5% según la "
    "cuantía.\n\n"
    "PARÁGRAFO 1. Los juzgados de paz no reportan.\n\n"
    "PARÁGRAFO 2. Los tribunales reportan por salas.\n\n"
    "Son funciones de la unidad:\n\n1. Consolidar los informes de gestión.\n2. Publicar los “cuadros anuales” en marzo."
)
GUIA = (
    "La guía explica cómo se llena cada casilla del formulario. El director atiende las consultas los lunes y los "
    "martes. El secretario informa al juez antes de cerrar el periodo."
)

# passage: document, article, text. The last two are one sentence cut in the middle by the passages' border.
PASSAGES: tuple[tuple[str, str, str], ...] = (
    ("acuerdo", "1", PLAZO),
    ("acuerdo", "14", DEBERES),
    ("acuerdo", "20", VIGENCIA),
    ("guia", "", GUIA),
    ("reglamento", "3", "El archivo conserva los expedientes terminados durante diez años y después los"),
    ("reglamento", "3", "entrega al archivo general cuando la ley lo ordena."),
)

V, P, N, M = "verificada", "parcial", "sin_sustento", "mal_atribuida"

# sentence, state, passage it rests on (-1 none, None not told)
CASES: list[tuple[str, str, int | None]] = [
    # -- true, word for word
    ("El plazo no se prorroga.", V, 0),
    ("El secretario guarda copia de cada formulario durante cinco (5) años.", V, 1),
    # A number in words, in digits and twice is one number.
    ("El secretario guarda copia de cada formulario durante cinco años.", V, 1),
    ("El secretario guarda copia de cada formulario durante 5 años.", V, 1),
    ("La multa es de 2.000 pesos por cada formulario, según el artículo 1.", V, 1),
    # Case, accents and line breaks make no difference.
    ("EL SECRETARIO GUARDA COPIA DE CADA FORMULARIO\nDURANTE CINCO AÑOS", V, 1),
    # The source it names is the place.
    ("Según el artículo 1 del Acuerdo PSAA16-10476, el plazo no se prorroga.", V, 0),
    ("El artículo 14 dispone que los empleados no pueden delegar la firma del reporte.", V, 1),
    ("Los empleados no pueden delegar la firma del reporte (artículo 14).", V, 1),
    ("Los empleados no pueden delegar la firma del reporte (art. 14 del Acuerdo PSAA16-10476).", V, 1),
    ("Según el parágrafo 2 del artículo 20, los tribunales reportan por salas.", V, 2),
    ("Publicar los cuadros anuales en marzo.", V, 2),
    ("El presente acuerdo rige desde el 15 de abril de 2016 y deroga el Acuerdo PSAA11-8716.", V, 2),
    # -- quotations
    ("El artículo 1 dice: «El plazo no se prorroga.»", V, 0),
    ("El artículo 1 dice: “El plazo no se prorroga.”", V, 0),
    ('El artículo 1 dice: "El plazo no se prorroga."', V, 0),
    ("«a más tardar el quinto día hábil del mes siguiente»", V, 0),
    ("«a más tardar\n  el quinto día   hábil»", V, 0),
    ('Es función de la unidad «Publicar los "cuadros anuales" en marzo.»', P, 2),
    ("«2. Publicar los «cuadros anuales» en marzo.»", V, 2),
    # Decomposed accents.
    ("«a ma\u0301s tardar el quinto di\u0301a ha\u0301bil»", V, 0),
    # Two quotations, each of its own article.
    ("El artículo 1 dice «El plazo no se prorroga» y el artículo 14 dice «guarda copia de cada formulario».", V, 0),
    # -- wrong article: the trap of article 14 with evidence for article 1, both ways
    ("El artículo 14 dice: «El plazo no se prorroga.»", M, 0),
    ("El artículo 1 dice: «guarda copia de cada formulario»", M, 1),
    ("Según el artículo 14, el plazo no se prorroga.", M, 0),
    ("El plazo no se prorroga (artículo 14).", M, 0),
    ("Según el artículo 1, los empleados no pueden delegar la firma del reporte.", M, 1),
    ("El artículo 1 dice «El plazo no se prorroga» y el artículo 1 dice «guarda copia de cada formulario».", M, None),
    ("Según el artículo 99, el plazo no se prorroga.", M, 0),
    # The passage mentions article 1, but is article 14.
    ("El artículo 1 dispone: «La multa es de dos mil (2.000) pesos por cada formulario»", M, 1),
    ("Según el parágrafo 1 del artículo 20, los tribunales reportan por salas.", P, 2),
    # -- right words from another document
    ("Según el Acuerdo PSAA16-10476, el director atiende las consultas los lunes y los martes.", M, 3),
    ("El Acuerdo PSAA16-10476 dice «La guía explica cómo se llena cada casilla del formulario.»", M, 3),
    ("Según la Ley 270 de 1996, el plazo no se prorroga.", M, 0),
    ("Según el documento guia.md: «El plazo no se prorroga.»", M, 0),
    ("Según el documento acuerdo.md: «El plazo no se prorroga.»", V, 0),
    # -- invented ending, the other trap
    ("«El plazo no se prorroga en ningún caso.»", N, -1),
    ("«a más tardar el quinto día hábil del mes siguiente a la visita»", N, -1),
    ("El plazo no se prorroga, y quien incumpla pierde el cargo.", N, -1),
    (
        "El secretario guarda copia de cada formulario durante cinco años y luego la destruye ante notario público.",
        P,
        1,
    ),
    # -- words of its own inside a quotation
    ("«El plazo nunca se prorroga.»", N, -1),
    ("«Los funcionarios encargados reportan la información»", N, -1),
    # Another capital or stop is almost the same.
    ("«el plazo no se prorroga;»", P, 0),
    # What was left out is told, and not checked.
    ("«Los funcionarios responsables reportan la información [...] del mes siguiente al trimestre»", P, 0),
    ("«Los funcionarios responsables […] responde ante el alcalde»", N, -1),
    # A quotation that begins behind the negation.
    ("Los empleados «pueden delegar la firma del reporte».", P, 1),
    # It ends inside a word or a number.
    ("«guarda copia de cada formulario durante cinco (5) año»", N, -1),
    ("«La multa es de dos mil (2.0»", N, -1),
    # -- changed number, date, identifier
    ("El secretario guarda copia de cada formulario durante diez años.", N, -1),
    ("La multa es de 3.000 pesos por cada formulario.", N, -1),
    ("La multa es de 200 pesos por cada formulario.", N, -1),
    ("El presente acuerdo rige desde el 16 de abril de 2016.", N, -1),
    ("El presente acuerdo rige desde el 15 de abril de 2015.", N, -1),
    ("El presente acuerdo rige desde el 15 de mayo de 2016 y deroga el Acuerdo PSAA11-8716.", N, -1),
    ("El presente acuerdo rige desde el 15 de abril de 2016 y deroga el Acuerdo PSAA11-8717.", N, -1),
    ("La tasa es del 6% o del 7,5% según la cuantía.", N, -1),
    ("La multa es de dos mil (2.000) pesos por cada formulario, según el artículo 2.", M, 1),
    # -- dropped or added negation
    ("El plazo se prorroga.", N, -1),
    ("Los empleados pueden delegar la firma del reporte.", N, -1),
    ("Los juzgados de paz reportan.", N, -1),
    ("El secretario no guarda copia de cada formulario durante cinco años.", N, -1),
    ("Los tribunales no reportan por salas.", N, -1),
    # -- dropped condition or exception
    ("El archivo pasa al consejo seccional.", P, 2),
    ("Quien reporte fuera de término responde ante el consejo seccional.", P, 0),
    # -- cut short: it says more than the document does
    ("El director atiende las consultas los lunes.", P, 3),
    ("Los funcionarios responsables reportan la información.", P, 0),
    # -- who does what to whom
    ("El juez informa al secretario antes de cerrar el periodo.", P, 3),
    # -- paraphrase
    ("Los responsables deben reportar la información hasta el quinto día hábil del mes siguiente.", P, 0),
    ("Las consultas las atiende el director los lunes y martes.", P, 3),
    # -- out of two passages
    (
        "El archivo conserva los expedientes terminados durante diez años y después los entrega al archivo general.",
        P,
        4,
    ),
    ("«durante diez años y después los entrega al archivo general»", N, -1),
    # True, but no one passage says both: told apart from what a passage holds.
    ("El plazo no se prorroga y el secretario guarda copia de cada formulario.", N, -1),
    # -- out of nothing
    ("La capital de Francia es París.", N, -1),
    ("Los jueces cobran un salario de diez millones.", N, -1),
    ("Sí.", N, -1),
    ("No.", N, -1),
    # Too little to say anything.
    ("El plazo.", P, None),
]

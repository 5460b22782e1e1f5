"""The targets and questions of the demonstration campaign, and the nuggets that its pages were written from."""

# ruff: noqa: E501 (a nugget list is read best in few lines)

from __future__ import annotations

from html import escape

TARGETS = {
    "1": "Pennywhistle Market grocery stores",
    "2": "Castellan bicycle lock",
    "3": "Ellery Crosstown bus",
    "4": "The Salt Orchard by Maren Hallworth",
    "5": "Night Ferry",
    "6": "Lumarex S5 camera",
    "7": "Bluebell & Rook coffee house",
    "8": "Hollow Armada",
}
QUESTIONS = {
    "1.1": ("RigidList", "Which products do people recommend buying at Pennywhistle Market?"),
    "1.2": ("RigidList", "In which towns do bloggers shop at Pennywhistle Market?"),
    "1.3": ("SquishyList", "Why do people like Pennywhistle Market?"),
    "1.4": ("SquishyList", "What do people dislike about Pennywhistle Market?"),
    "2.1": ("RigidList", "What objects have people used to open a Castellan bicycle lock?"),
    "2.2": ("SquishyList", "Why are cyclists angry with the makers of the Castellan lock?"),
    "2.3": ("SquishyList", "What do people say in defense of the Castellan lock and its makers?"),
    "3.1": ("RigidList", "Which stops of the Ellery Crosstown bus do people complain about?"),
    "3.2": ("SquishyList", "What do riders complain about on the Ellery Crosstown?"),
    "3.3": ("SquishyList", "What do riders like about the Ellery Crosstown?"),
    "4.1": ("RigidList", "Which characters in The Salt Orchard are readers' favorites?"),
    "4.2": ("RigidList", "With which other books do readers compare The Salt Orchard?"),
    "4.3": ("SquishyList", "What do readers praise in The Salt Orchard?"),
    "4.4": ("SquishyList", "Why did readers give up on or dislike The Salt Orchard?"),
    "5.1": ("RigidList", "Which episodes of Night Ferry are viewers' favorites?"),
    "5.2": ("RigidList", "Which actors in Night Ferry do viewers praise?"),
    "5.3": ("SquishyList", "What do viewers think of the second season of Night Ferry?"),
    "6.1": ("RigidList", "Which accessories do owners of the Lumarex S5 recommend?"),
    "6.2": ("SquishyList", "What faults do owners find with the Lumarex S5?"),
    "6.3": ("SquishyList", "What do owners praise about the Lumarex S5?"),
    "7.1": ("RigidList", "Which drinks do people recommend at Bluebell & Rook?"),
    "7.2": ("SquishyList", "Why do people prefer Bluebell & Rook to chain coffee houses?"),
    "7.3": ("SquishyList", "What do people dislike about Bluebell & Rook?"),
    "8.1": ("RigidList", "Which bosses in Hollow Armada do players find hardest to beat?"),
    "8.2": ("RigidList", "Which ships in Hollow Armada do players recommend?"),
    "8.3": ("SquishyList", "What do players dislike about Hollow Armada?"),
}

# question -> key -> (importance, text)
NUGGETS: dict[str, dict[str, tuple[str, str]]] = {
    "1.3": {
        "a": ("vital", "low prices"), "b": ("vital", "friendly, attentive staff"), "c": ("okay", "free samples"),
        "d": ("vital", "unusual products not found elsewhere"), "e": ("okay", "own brand without artificial colors"),
        "f": ("okay", "takes back anything without a receipt"), "g": ("okay", "open late without lines"),
        "h": ("okay", "funny hand-drawn chalk signs"), "i": ("vital", "treats its employees well"),
        "j": ("okay", "small store, quick to shop"),
    },
    "1.4": {
        "a": ("vital", "parking lot too small and badly laid out"), "b": ("vital", "fruit and vegetables spoil in plastic"),
        "c": ("vital", "discontinues favorite products"), "d": ("okay", "crowded narrow aisles on weekends"),
        "e": ("okay", "too few stores, long drives"), "f": ("vital", "lacks basic goods, a second stop is needed"),
        "g": ("okay", "no butcher or fish counter"), "h": ("okay", "self-satisfied customers"),
    },
    "2.2": {
        "a": ("vital", "an expensive strong lock opens with a household object"),
        "b": ("vital", "the company knew of the flaw for a year"), "c": ("vital", "replacement takes months"),
        "d": ("vital", "guarantee does not pay if the lock is not broken"),
        "e": ("okay", "receipt and registration card demanded for replacement"),
        "f": ("okay", "customer service does not answer"), "g": ("okay", "owners pay the postage"),
        "h": ("okay", "high price"), "i": ("okay", "very heavy"), "j": ("okay", "ads still call it unbeatable"),
    },
    "2.3": {
        "a": ("vital", "newer flat-key models are not affected"), "b": ("vital", "no lock is perfect, it buys time"),
        "c": ("vital", "company apologized and replaces locks free"), "d": ("okay", "sturdy, survives winters"),
        "e": ("okay", "good frame bracket"), "f": ("vital", "dealers swap old locks on the spot"),
        "g": ("okay", "never had a bike stolen in years"),
    },
    "3.2": {
        "a": ("vital", "late and bunched buses"), "b": ("vital", "overcrowded at rush hour"),
        "c": ("vital", "fare increase to $1.75"), "d": ("vital", "no Sunday or late evening service"),
        "e": ("vital", "drivers pass waiting riders"), "f": ("okay", "heating off or too hot"),
        "g": ("okay", "hard plastic seats"), "h": ("okay", "announcements cannot be understood"),
        "i": ("okay", "card readers out of order"), "j": ("okay", "no shelter at stops"),
    },
    "3.3": {
        "a": ("vital", "friendly driver (Walter)"), "b": ("vital", "quiet new hybrid buses"),
        "c": ("okay", "bus lane makes it faster than a car"), "d": ("okay", "bike racks"),
        "e": ("okay", "view from the bridge"), "f": ("okay", "cheap student pass"),
        "g": ("okay", "low floor for wheelchairs"), "h": ("vital", "riders know and help each other"),
    },
    "4.3": {
        "a": ("vital", "beautiful prose"), "b": ("vital", "vivid sense of place (the marsh)"), "c": ("okay", "funny"),
        "d": ("vital", "surprising ending"), "e": ("okay", "strong women"), "f": ("okay", "good for book groups"),
        "g": ("okay", "well-read audio book"), "h": ("vital", "clever structure with letters"),
    },
    "4.4": {
        "a": ("vital", "slow first hundred pages"), "b": ("vital", "too many characters to keep apart"),
        "c": ("vital", "hard to read dialect"), "d": ("okay", "ending unclear or unearned"),
        "e": ("vital", "overwritten: too many adjectives and similes"), "f": ("okay", "does not live up to the hype"),
        "g": ("okay", "poor binding"), "h": ("okay", "the dog is killed"),
    },
    "5.3": {
        "a": ("vital", "darker, grimmer than the first"), "b": ("vital", "too many new characters"),
        "c": ("vital", "slow pace"), "d": ("vital", "beautifully photographed"), "e": ("okay", "bad time slot, Friday at ten"),
        "f": ("okay", "best writer left"), "g": ("okay", "good new music"), "h": ("vital", "mysteries left unanswered"),
        "i": ("okay", "no longer funny"), "j": ("okay", "acting still excellent"),
    },
    "6.2": {
        "a": ("vital", "shutter lag"), "b": ("vital", "noise at ISO 400 and above"), "c": ("vital", "short battery life"),
        "d": ("okay", "battery door breaks"), "e": ("okay", "purple fringes"), "f": ("okay", "confusing menus"),
        "g": ("okay", "screen unreadable in sunlight"), "h": ("vital", "autofocus hunts in low light"),
        "i": ("okay", "successor announced after four months"), "j": ("okay", "needs a proprietary cable"),
    },
    "6.3": {
        "a": ("vital", "natural colors, good skin tones"), "b": ("vital", "sturdy metal body"), "c": ("vital", "sharp lens"),
        "d": ("okay", "real dials, manual control"), "e": ("vital", "swiveling screen"), "f": ("okay", "good film mode"),
        "g": ("okay", "close focus"), "h": ("okay", "fits a pocket"), "i": ("okay", "starts quickly"),
    },
    "7.2": {
        "a": ("vital", "armchairs by a real fire"), "b": ("vital", "free wireless without a limit"),
        "c": ("vital", "baristas remember people's orders"), "d": ("okay", "roasts its own beans"),
        "e": ("okay", "real china cups"), "f": ("okay", "open mic and local art"),
        "g": ("vital", "locally owned, money stays in town"), "h": ("okay", "dogs and children welcome"),
        "i": ("okay", "baked goods made there"), "j": ("okay", "open till midnight"),
    },
    "8.3": {
        "a": ("vital", "save points too far apart"), "b": ("vital", "bad camera"), "c": ("vital", "slows down with many ships"),
        "d": ("okay", "long loading times"), "e": ("vital", "online play: lag and server failures"),
        "f": ("okay", "poor voice acting"), "g": ("okay", "intrusive copy protection"), "h": ("okay", "too short"),
        "i": ("okay", "long tutorial that cannot be skipped"),
    },
}  # fmt: skip

WHOLLY_OPEN = ("8.1", "7.3")  # left to whoever comes first: nobody has judged anything
PARTLY_OPEN = ("5.1", "6.3")  # judged to the middle; the nugget list is still a draft


def questions_xml() -> str:
    """Return the question file."""
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', "<questions>"]
    for number, target in TARGETS.items():
        lines += [f'  <target id="{number}" text="{escape(target)}">', "    <qa>"]
        for qid, (kind, text) in QUESTIONS.items():
            if qid.startswith(f"{number}."):
                lines.append(f'      <q id="{qid}" type="{kind}">{escape(text, quote=False)}</q>')
        lines += ["    </qa>", "  </target>"]
    return "\n".join([*lines, "</questions>", ""])

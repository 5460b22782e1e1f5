"""Pages that do not say in which encoding they are."""

from __future__ import annotations

TEXTS = {
    "windows-1250": "Všichni lidé rodí se svobodní a sobě rovní co do důstojnosti a práv.",
    "iso-8859-2": "Wszyscy ludzie rodzą się wolni i równi pod względem swej godności i swych praw.",
    "windows-1251": "Все люди рождаются свободными и равными в своем достоинстве и правах.",
    "koi8-r": "Все люди рождаются свободными и равными в своем достоинстве и правах.",
    "windows-1252": "Tous les êtres humains naissent libres et égaux en dignité et en droits.",
    "windows-1253": "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα.",
    "windows-1254": "Bütün insanlar hür, haysiyet ve haklar bakımından eşit doğarlar.",
    "windows-1255": "כל בני האדם נולדו בני חורין ושווים בערכם ובזכויותיהם.",
    "windows-1256": "يولد جميع الناس أحرارا متساوين في الكرامة والحقوق.",
    "windows-874": "มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิ",
    "shift_jis": "すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。",
    "euc-jp": "すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。",
    "gb18030": "人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心，并应以兄弟关系的精神相对待。",
    "big5": "人人生而自由，在尊嚴和權利上一律平等。他們賦有理性和良心，並應以兄弟關係的精神相對待。",
    "euc-kr": "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다.",
}
PYTHON = {"windows-874": "cp874", "shift_jis": "cp932", "euc-kr": "cp949"}
SCRIPTS = "<script>var a = document.getElementById('menu'); if (a < 3) { a.style.color = 'red'; }</script>\n" * 300


def page_in(encoding: str, text: str, around: str = "") -> bytes:
    """A page that does not say in which encoding it is."""
    return f"<title>{text}</title>{around}<p>{text}</p>{around}".encode(PYTHON.get(encoding, encoding))

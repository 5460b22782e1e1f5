"""Articles 1 and 3 of the Universal Declaration of Human Rights, which everybody may copy: text of many scripts."""

from __future__ import annotations

DECLARATION = {
    "ar": (
        "يولد جميع الناس أحرارًا متساوين في الكرامة والحقوق.",
        "وقد وهبوا عقلًا وضميرًا وعليهم أن يعامل بعضهم بعضًا بروح الإخاء.",
        "لكل فرد الحق في الحياة والحرية وسلامة شخصه.",
    ),
    "de": (
        "Alle Menschen sind frei und gleich an Würde und Rechten geboren.",
        "Sie sind mit Vernunft und Gewissen begabt und sollen einander im Geist der Brüderlichkeit begegnen.",
        "Jeder hat das Recht auf Leben, Freiheit und Sicherheit der Person.",
    ),
    "el": (
        "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα.",
        "Είναι προικισμένοι με λογική και συνείδηση, και οφείλουν να συμπεριφέρονται "
        "μεταξύ τους με πνεύμα αδελφοσύνης.",
        "Κάθε άτομο έχει δικαίωμα στη ζωή, την ελευθερία και την προσωπική του ασφάλεια.",
    ),
    "fi": (
        "Kaikki ihmiset syntyvät vapaina ja tasavertaisina arvoltaan ja oikeuksiltaan.",
        "Heille on annettu järki ja omatunto, ja heidän on toimittava toisiaan kohtaan veljeyden hengessä.",
        "Kullakin yksilöllä on oikeus elämään, vapauteen ja henkilökohtaiseen turvallisuuteen.",
    ),
    "he": (
        "כל בני אדם נולדו בני חורין ושווים בערכם ובזכויותיהם.",
        "כולם חוננו בתבונה ובמצפון, לפיכך חובה עליהם לנהוג איש ברעהו ברוח של אחווה.",
        "כל אדם יש לו הזכות לחיים, לחירות ולביטחון אישי.",
    ),
    "hi": (
        "सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता और समानता प्राप्त है।",
        "उन्हें बुद्धि और अन्तरात्मा की देन प्राप्त है और परस्पर उन्हें भाईचारे के भाव से बर्ताव करना चाहिए।",
        "प्रत्येक व्यक्ति को जीवन, स्वाधीनता और वैयक्तिक सुरक्षा का अधिकार है।",
    ),
    "ja": (
        "すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。",
        "人間は、理性と良心とを授けられており、互いに同胞の精神をもって行動しなければならない。",
        "すべて人は、生命、自由及び身体の安全に対する権利を有する。",
    ),
    "ko": (
        "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다.",
        "인간은 천부적으로 이성과 양심을 부여받았으며 서로 형제애의 정신으로 행동하여야 한다.",
        "모든 사람은 생명과 신체의 자유와 안전에 대한 권리를 가진다.",
    ),
    "ru": (
        "Все люди рождаются свободными и равными в своем достоинстве и правах.",
        "Они наделены разумом и совестью и должны поступать в отношении друг друга в духе братства.",
        "Каждый человек имеет право на жизнь, на свободу и на личную неприкосновенность.",
    ),
    "th": (
        "มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิ",
        "ต่างมีเหตุผลและมโนธรรม และควรปฏิบัติต่อกันด้วยเจตนารมณ์แห่งภราดรภาพ",
        "บุคคลมีสิทธิในการดำเนินชีวิต ในเสรีภาพและในความมั่นคงแห่งร่างกาย",
    ),
    "tr": (
        "Bütün insanlar hür, haysiyet ve haklar bakımından eşit doğarlar.",
        "Akıl ve vicdana sahiptirler ve birbirlerine karşı kardeşlik zihniyeti ile hareket etmelidirler.",
        "Yaşamak, hürriyet ve kişi emniyeti her ferdin hakkıdır.",
    ),
    "zh": (
        "人人生而自由，在尊严和权利上一律平等。",
        "他们赋有理性和良心，并应以兄弟关系的精神相对待。",
        "人人有权享有生命、自由和人身安全。",
    ),
}
"""By language: the two sentences of the first article, and the third."""

BETWEEN = {"ja": "", "zh": ""}
"""What stands between sentences, where it is no blank."""


def paragraph(language: str) -> str:
    """The sentences in one line, as they are written in that language."""
    return BETWEEN.get(language, " ").join(DECLARATION[language])

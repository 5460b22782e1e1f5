"""What two people disagree on in the browser's campaigns."""

DOCNO = "BLOG06-20060101-000-0000000001"
ANSWERS = ["blue bicycle", "green bicycle", "red bicycle", "silver bicycle"]

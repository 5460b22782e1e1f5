"""Four short papers that nobody wrote: what they measured, and which figures and tables show it."""

from __future__ import annotations

from pathlib import Path

KITES = "okafor2021kites"
BREAD = "lindqvist2020bread"
PIGEONS = "marino2022pigeons"
QUIZZES = "haddad2019quizzes"

TEXTS = {
    citekey: (Path(__file__).with_name("texts") / f"{citekey}.txt").read_text(encoding="utf-8")
    for citekey in (KITES, BREAD, PIGEONS, QUIZZES)
}
"""Citekey -> full text, with page marks."""

PAGES = {
    "kites-p3.png": ("Figure 1. Temperature over lake and shore.", "AB"),
    "kites-p4.png": ("Figure 2. Difference by wind speed.", ""),
    "kites-p5.png": ("Table 1. Difference on calm and windy days.", "#"),
    "bread-p3.png": ("Figure 1. Rise of twelve doughs.", "AB"),
    "bread-p4.png": ("Figure 2. Doughs without salt.", "AB"),
    "pigeons-p3.png": ("Table 2. Median waiting time.", "#"),
    "pigeons-p4.jpg": ("Figure 1. The six streets.", ""),
    "quizzes-p3.png": ("Figure 1. Scores of both classes.", ""),
}
"""File name -> caption and panels ("": one plot, "#": a table). What claims name and is not here is missing."""

"""The headings, links and prices of saved web pages, as JSON.

    python3 pages.py FOLDER https://example.com/shop/
"""
import html
import json
import re
import sys
from pathlib import Path
from urllib.parse import urljoin, urlsplit

TAG = re.compile(r"<[^>]+>")
LINK = re.compile(r"""<a\s[^>]*?href\s*=\s*(?:"([^"]*)"|'([^']*)')[^>]*>(.*?)</a>""", re.I | re.S)
HEADING = re.compile(r"<h([1-3])[^>]*>(.*?)</h\1>", re.I | re.S)
PRICE = re.compile(r"(\d{1,3}(?:,\d{3})*|\d+)\.(\d\d)\s*(€|\$|EUR|USD)")
CURRENCY = {"€": "EUR", "$": "USD"}


def text_of(part):
    return " ".join(html.unescape(TAG.sub(" ", part)).split())


def page(path, base):
    text = re.sub(r"<!--.*?-->", "", path.read_text(encoding="utf-8"), flags=re.S)
    links = []
    for double, single, label in LINK.findall(text):
        target = urljoin(base, html.unescape(double or single))
        if urlsplit(target).scheme in ("http", "https"):
            links.append({"to": target, "host": urlsplit(target).hostname, "label": text_of(label)})
    return {
        "page": path.name,
        "headings": [[int(level), text_of(part)] for level, part in HEADING.findall(text)],
        "links": links,
        "prices": [[int(whole.replace(",", "")) * 100 + int(cents), CURRENCY.get(unit, unit)]
                   for whole, cents, unit in PRICE.findall(text_of(text))],
    }


def main():
    folder, base = sys.argv[1:]
    pages = [page(path, base) for path in sorted(Path(folder).rglob("*.html"))]
    print(json.dumps(pages, indent=2, ensure_ascii=False))
    hosts = {link["host"] for found in pages for link in found["links"]}
    print(len(pages), "pages,", len(hosts), "hosts:", ", ".join(sorted(hosts)))


main()

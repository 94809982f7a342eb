"""Cleans contacts in lines of JSON, and puts them into a database.

    python3 contacts.py CONTACTS.jsonl CONTACTS.db
"""
import json
import re
import sqlite3
import string
import sys
from datetime import date

EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[a-z]+")


def clean(raw):
    """(email, name, phone, born, tags) of a contact, or an error."""
    email = str(raw.get("email") or "").strip().lower()
    if not EMAIL.fullmatch(email):
        raise ValueError(f"bad email: {email or 'none'}")
    name = string.capwords(raw.get("name", ""))
    phone = re.sub(r"[^\d+]", "", raw["phone"]) if raw.get("phone") else None
    born = date.fromisoformat(raw["born"]).isoformat() if raw.get("born") else None
    tags = sorted({tag.lower() for tag in raw.get("tags", [])})
    return email, name, phone, born, ",".join(tags)


def main():
    source, target = sys.argv[1:]
    db = sqlite3.connect(target)
    db.execute("create table if not exists contacts (email text primary key, name text, phone text, born text, tags text)")
    errors, lines = 0, 0
    with open(source, encoding="utf-8") as file, db:
        for number, line in enumerate(file, start=1):
            lines += 1
            try:
                row = clean(json.loads(line))
            except json.JSONDecodeError:
                errors += 1
                print(f"line {number}: no JSON")
            except ValueError as error:
                errors += 1
                print(f"line {number}: {error}" if "email" in str(error) else f"line {number}: bad date")
            else:
                db.execute("insert into contacts values (?, ?, ?, ?, ?) on conflict (email) do update set "
                           "phone = coalesce(excluded.phone, phone), born = coalesce(excluded.born, born)", row)
    count, phones = db.execute("select count(*), count(phone) from contacts").fetchone()
    print(f"{lines} lines, {errors} errors, {count} contacts, {phones} with phone")
    for decade, n in db.execute("select substr(born, 1, 3) || '0s' as decade, count(*) from contacts "
                                "where born is not null group by decade order by decade"):
        print(decade, n)


main()

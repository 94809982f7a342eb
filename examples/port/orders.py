"""Joins orders with their customers, and writes the sales of each country.

    python3 orders.py CUSTOMERS.csv ORDERS.csv SALES.csv
"""
import csv
import sys
from collections import defaultdict


def main():
    customers_path, orders_path, sales_path = sys.argv[1:]
    with open(customers_path, newline="", encoding="utf-8") as file:
        customers = {row["id"]: row for row in csv.DictReader(file)}
    sales = defaultdict(lambda: {"orders": 0, "cents": 0, "customers": set()})
    unknown, seen = [], set()
    with open(orders_path, newline="", encoding="utf-8") as file:
        for number, row in enumerate(csv.DictReader(file), start=1):
            customer = customers.get(row["customer"])
            if customer is None:
                unknown.append((number, row["customer"]))
                continue
            seen.add(customer["id"])
            whole, _, part = row["price"].partition(".")
            of_country = sales[customer["country"].strip().upper() or "?"]
            of_country["orders"] += 1
            of_country["cents"] += int(row["count"]) * (int(whole) * 100 + int(part.ljust(2, "0")))
            of_country["customers"].add(customer["id"])
    with open(sales_path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["country", "customers", "orders", "sales"])
        for country, s in sorted(sales.items(), key=lambda item: (-item[1]["cents"], item[0])):
            writer.writerow([country, len(s["customers"]), s["orders"], f'{s["cents"] // 100}.{s["cents"] % 100:02d}'])
    for number, customer in unknown[:3]:
        print(f"order {number}: no customer {customer!r}", file=sys.stderr)
    print(f"{len(unknown)} orders of nobody, {len(customers.keys() - seen)} customers without orders")


main()

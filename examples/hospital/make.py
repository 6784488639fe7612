"""Makes up 5,000 patients of a hospital: `python make.py > stays.csv`. Nobody in the table exists."""

import datetime
import random

# Name, ICD-10 code, ward, share, mean age, share of women, mean nights.
DIAGNOSES = [
    ("pneumonia", "J18", "medicine", 14, 66, 0.47, 7),
    ("heart failure", "I50", "medicine", 13, 76, 0.50, 9),
    ("stroke", "I63", "neurology", 9, 73, 0.48, 10),
    ("hip fracture", "S72", "surgery", 10, 78, 0.70, 9),
    ("appendicitis", "K35", "surgery", 9, 34, 0.46, 4),
    ("gallstones", "K80", "surgery", 10, 56, 0.64, 4),
    ("diabetes", "E11", "medicine", 8, 61, 0.45, 6),
    ("depression", "F32", "psychiatry", 8, 45, 0.62, 21),
    ("alcohol dependence", "F10", "psychiatry", 7, 47, 0.28, 11),
    ("breast cancer", "C50", "gynaecology", 6, 60, 0.99, 5),
    ("epilepsy", "G40", "neurology", 4, 40, 0.48, 4),
    ("HIV", "B24", "medicine", 2, 43, 0.25, 8),
]
TOWNS = [f"{area}{number:02d}0" for area in ("80", "81", "83", "84") for number in range(1, 12)]


def main() -> None:
    coins = random.Random(5000)
    print("patient,born,sex,postcode,admitted,nights,ward,diagnosis,icd")
    for patient in range(1, 5001):
        name, code, ward, _, age, women, nights = coins.choices(DIAGNOSES, [own[3] for own in DIAGNOSES])[0]
        admitted = datetime.date(2025, 1, 1) + datetime.timedelta(coins.randrange(365))
        years = min(max(coins.gauss(age, 14), 1), 99)
        born = admitted - datetime.timedelta(int(years * 365.25))
        sex = "f" if coins.random() < women else "m"
        stay = 1 + int(coins.expovariate(1 / nights))
        ward = ward if coins.random() < 0.9 else "medicine"
        shown = "" if coins.random() < 0.004 else name
        print(f"P{patient:05},{born},{sex},{coins.choice(TOWNS)},{admitted},{stay},{ward},{shown},{code if shown else ''}")


if __name__ == "__main__":
    main()

"""texts.py OUTPUT FILE...: the files as C, for predict_texts.h: names without endings."""

import os
import sys


def main():
    output, *files = sys.argv[1:]
    rows = []
    with open(output, "w", encoding="ascii") as out:
        out.write('#include "predict_texts.h"\n\n')
        for i, path in enumerate(files):
            with open(path, "rb") as file:
                data = file.read()
            name, ending = os.path.splitext(os.path.basename(path))
            kind = "true" if ending == ".device" else "false"
            rows.append(f'    {{ "{name}", text_{i}, {len(data)}, {kind} }},\n')
            numbers = ",".join(str(byte) for byte in data)
            out.write(f"static const char text_{i}[] = {{ {numbers},0 }};\n")
        out.write("\nconst struct predict_text predict_texts[] = {\n")
        out.write("".join(rows) + "    { 0, 0, 0, false },\n};\n")


if __name__ == "__main__":
    main()

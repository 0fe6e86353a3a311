# Makes a program that tells how mmscan.h's structs and enumerators are laid out, in C or in Fortran:
#
#   awk -v language=c|fortran -f layout.awk mmscan_c.f90 mmscan.h
#
# Its lines are "struct 0 SIZE", "struct.component OFFSET SIZE" and "enumerator VALUE". Which structs and enums: those
# that mmscan_c.f90 names. Which components and enumerators: all that mmscan.h has, so that none is forgotten in
# Fortran.

# ---- mmscan_c.f90 ----------------------------------------------------------------------------------------------------
FNR == NR && /^ *type, bind\(c\) :: / { mirrored[$NF]; next }
FNR == NR && /^ *! typedef enum / { mirrored[$NF]; next }
FNR == NR { next }

# ---- mmscan.h, without its comments ----------------------------------------------------------------------------------
{
  line = $0
  while (line != "") {
    if (inside) {
      end = index(line, "*/")
      if (!end) break
      line = substr(line, end + 2)
      inside = 0
    }
    start = index(line, "/*")
    header = header " " (start ? substr(line, 1, start - 1) : line)
    if (!start) break
    line = substr(line, start + 2)
    inside = 1
  }
}

# The last word of a declarator: a name, behind its type or before its value.
function name_of(text) {
  sub(/=.*/, "", text)
  gsub(/[*]/, " ", text)
  sub(/ +$/, "", text)
  sub(/.* /, "", text)
  return text
}

function tell(format, c, fortran) {
  body = body "\n" (language == "c" ? "  printf(\"" format "\\n\", " c ");" : "  call tell(\"" fortran)
}

function tell_component(struct, name) {
  tell(struct "." name " %zu %zu", "offsetof(" struct ", " name "), sizeof a_" struct "." name, \
    struct "." name "\", &\n    c_loc(a_" struct "%" name "), c_loc(a_" struct "), c_sizeof(a_" struct "%" name "))")
}

function tell_struct(struct, text,    i, j, count, last, parts, names) {
  declared = declared "\n  " \
    (language == "c" ? "static " struct " a_" struct ";" : "type(" struct "), target :: a_" struct)
  tell(struct " 0 %zu", "sizeof a_" struct, \
    struct "\", &\n    c_loc(a_" struct "), c_loc(a_" struct "), c_sizeof(a_" struct "))")
  count = split(text, parts, ";")
  for (i = 1; i < count; i++) {
    last = split(parts[i], names, ",")
    for (j = 1; j <= last; j++) tell_component(struct, name_of(names[j]))
  }
}

function tell_enum(text,    i, count, names) {
  count = split(text, names, ",")
  for (i = 1; i <= count; i++) {
    name = name_of(names[i])
    tell(name " %d", "(int)" name, name "\", int(" name "))")
  }
}

END {
  while (match(header, /typedef (struct|enum) [a-z_]+ *\{[^{}]*\}/)) {
    text = substr(header, RSTART, RLENGTH - 1)
    header = substr(header, RSTART + RLENGTH)
    split(text, words, " ")
    if (!(words[3] in mirrored)) continue
    delete mirrored[words[3]]
    sub(/[^{]*\{/, "", text)
    if (words[2] == "struct") tell_struct(words[3], text)
    else tell_enum(text)
  }
  for (name in mirrored) { print "layout.awk: mmscan.h has no " name >"/dev/stderr"; exit 1 }
  if (language == "c") {
    print "#include <mmscan.h>\n#include <stdio.h>\nint main(void) {" declared body "\n}"
    exit
  }
  print "program layout\n  use mmscan_c\n  use, intrinsic :: iso_c_binding\n  implicit none\n" \
    "  interface tell\n    procedure tell_place, tell_value\n  end interface tell" declared body "\ncontains\n" \
    "  subroutine tell_place(name, at, start, bytes)\n    character(*), intent(in) :: name\n" \
    "    type(c_ptr), intent(in) :: at, start\n    integer(c_size_t), intent(in) :: bytes\n" \
    "    integer(c_intptr_t), parameter :: number = 0\n" \
    "    print '(a, 1x, i0, 1x, i0)', name, transfer(at, number) - transfer(start, number), bytes\n" \
    "  end subroutine tell_place\n" \
    "  subroutine tell_value(name, value)\n    character(*), intent(in) :: name\n    integer, intent(in) :: value\n" \
    "    print '(a, 1x, i0)', name, value\n  end subroutine tell_value\nend program layout"
}

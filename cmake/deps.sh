#!/usr/bin/env bash
# deps.sh DIR: gathers the libraries and Python packages of sortlab for a machine that has neither root nor network.
# deps.sh --arm DIR: gathers the libraries for the preset aarch64 alone.
# Both take Debian's packages from the sources of this machine and need no root.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

fail() {
  echo "deps: $1" >&2
  exit 2
}

for_arm=no
if [[ ${1:-} == --arm ]]; then for_arm=yes && shift; fi
[[ $# -eq 1 && $1 != -* ]] || fail "needs one folder: deps.sh [--arm] DIR"
{ command -v apt-get && command -v dpkg-deb; } >/dev/null || fail "apt-get and dpkg-deb are missing: gather on a Debian or Ubuntu machine"

debs=$(mktemp -d)
trap 'rm -rf "$debs"' EXIT
chmod 755 "$debs"

# Package lists of our own, so that neither root nor a recent update of the machine's is needed.
mkdir -p "$debs/lists/partial" "$debs/cache/archives/partial" "$debs/all"
apt=(-o "Dir::State::Lists=$debs/lists" -o "Dir::Cache=$debs/cache" -o APT::Sandbox::User=root -o Debug::NoLocking=1)
[[ $for_arm == no ]] || apt+=(-o APT::Architecture=arm64 -o APT::Architectures=arm64)
apt_get() { apt-get -q "${apt[@]}" "$@" </dev/null >"$debs/log" 2>&1; }
apt_reason() { { grep '^E: ' "$debs/log" || cat "$debs/log"; } | tail -n 1; }

# The libraries that `run` installs, and their dependencies from the same sources; libc and the like stay the machine's.
mapfile -t packages < <(sed -n "s/^  '\([a-z0-9-]*\) have_header .*/\1/p" "$root/run")
apt_get update || echo "deps: apt-get update failed: $(apt_reason)" >&2
mapfile -t packages < <(apt-cache "${apt[@]}" depends --recurse --no-recommends --no-suggests --no-conflicts --no-breaks \
  --no-replaces --no-enhances "${packages[@]}" | grep -E '^(lib(tbb|hwy|boost|ips4o|cli11|fmt|benchmark|lzma|gtest|gmock)|nlohmann-json)[^ :]*$' | sort -u)
[[ ${#packages[@]} -gt 0 ]] || fail "this machine's package sources have none of the libraries, or there is no network"
(cd "$debs/all" && apt_get download "${packages[@]}") || fail "apt-get could not download: $(apt_reason)"
for package in "$debs"/all/*.deb; do dpkg-deb -x "$package" "$debs/libraries"; done

# Some packages keep their library in /lib, and link to it from /usr/lib by an absolute path.
if [[ -d $debs/libraries/lib ]]; then
  cp -a "$debs/libraries/lib/." "$debs/libraries/usr/lib/"
  rm -rf "$debs/libraries/lib"
  while IFS= read -r -d '' link; do
    ln -sf "$(basename "$(readlink "$link")")" "$link"
  done < <(find "$debs/libraries/usr/lib" -lname '/lib/*' -print0)
fi
mkdir -p "$1"
into=$(cd "$1" && pwd)
if [[ $for_arm == yes ]]; then
  cp -a "$debs/libraries/." "$into"
  exit
fi

# The packages are made for /usr, but may now be anywhere. So pkg-config files get the new prefix, and a library
# looks for the libraries that it needs beside itself (a program's search path does not cover these).
(cd "$debs" && apt_get download patchelf && dpkg-deb -x patchelf_*.deb tools) || fail "apt-get could not download patchelf: $(apt_reason)"
while IFS= read -r -d '' file; do
  # shellcheck disable=SC2016  # $ORIGIN is the loader's word, not the shell's
  "$debs/tools/usr/bin/patchelf" --set-rpath '$ORIGIN' "$file"
done < <(find "$debs/libraries/usr/lib" -name 'lib*.so.*' -type f -print0)
while IFS= read -r -d '' file; do
  up=$(dirname "${file#"$debs"/libraries/usr/}" | sed 's#[^/]*#..#g')
  sed -i "s#^prefix *=.*#prefix=\${pcfiledir}/$up#; s#=/usr/#=\${prefix}/#" "$file"
done < <(find "$debs/libraries/usr" -name '*.pc' -print0)
cp -a "$debs/libraries/." "$into"
echo "gathered ${packages[*]}"

# Of the package plotly, the one file that the build needs.
python=$root/.venv/bin/python
[[ -x $python ]] || python=python3
download=("$python" -m pip download -q --disable-pip-version-check)
if "${download[@]}" --no-deps -d "$debs/plotly" -r "$root/plots/report/requirements.txt" </dev/null; then
  "$python" -m zipfile -e "$debs"/plotly/plotly-*.whl "$debs/plotly"
  install -D -m 644 "$debs/plotly/plotly/package_data/plotly.min.js" "$into/usr/share/plotly/plotly.min.js"
  echo "gathered plotly.js"
else
  echo "deps: plotly.js could not be downloaded: all but sortlab report will work" >&2
fi
if "${download[@]}" -d "$into/wheels" -r "$root/tests/requirements.txt" -r "$root/plots/report/browser-requirements.txt" \
  -r "$root/peers/cub-requirements.txt" </dev/null; then
  echo "gathered the wheels, for $("$python" --version)"
else
  echo "deps: the Python wheels could not be downloaded: all but the plots and the Python package will work" >&2
fi
cat <<DONE
Copy $into to the other machine, to any place, say PLACE, and there:
  export CMAKE_PREFIX_PATH=PLACE/usr
  ./run bench      or      cmake --workflow --preset release
DONE

// Fuzzes key files of all formats. The last byte selects the user's settings: format, type, file
// ending.
#include "common/harness/input/key_file.hpp"

#include "tests/fuzz/fuzzing.hpp"

using namespace sortlab;
using namespace sortlab::fuzzing;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return -1;
  constexpr FileFormat kFormats[] = {FileFormat::automatic, FileFormat::npy, FileFormat::sosd,
                                     FileFormat::raw, FileFormat::text};
  constexpr const char* kNames[] = {"keys", "keys.npy", "keys.txt", "keys.raw"};
  unsigned choice = data[size - 1] - '0';
  const FileFormat format = kFormats[choice % 5];
  choice /= 5;
  std::optional<KeyType> type;
  constexpr unsigned kTypes = kKeyTypeCount + 1;  // with none
  if (choice % kTypes != kKeyTypeCount) type = static_cast<KeyType>(choice % kTypes);
  choice /= kTypes;
  const std::string path = write(kNames[choice % 4], text_of(data, size - 1));

  accepts(path, [&] {
    const KeyFile file = read_key_file(path, type, format);
    require(file.count > 0 && file.bytes.size() == file.count * bytes_of(file.type),
            "as many bytes as its keys have");
    require(!type || file.type == *type, "keys of the type that was asked for");
    const auto* const bytes = reinterpret_cast<const char*>(file.bytes.data());
    const auto raw = write("again.raw", {bytes, file.bytes.size()});
    const KeyFile again = read_key_file(raw, file.type, FileFormat::raw);
    require(again.bytes == file.bytes && again.content_hash == file.content_hash,
            "the same keys in another format have the same hash");
  });
  return 0;
}

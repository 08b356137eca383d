// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <ostream>
#include <system_error>
#include <tuple>
#include <type_traits>
#include <utility>

#include <araios/matrix_market.hpp>

#ifdef ARAIOS_HAVE_ZLIB
#include <zlib.h>
#endif

namespace araios {

matrix_market_error::matrix_market_error(std::string path, std::int64_t line,
                                         std::string const& message)
    : std::runtime_error("araios::read_matrix_market: " + path + ":" +
                         (line > 0 ? std::to_string(line) + ": " : " ") + message),
      path_(std::move(path)),
      line_(line) {}

namespace impl {
namespace {

using field_kind = matrix_market_field;
using format_kind = matrix_market_format;
using object_kind = matrix_market_object;
using symmetry_kind = matrix_market_symmetry;

// Where the bytes of a file come from.
class byte_source {
 public:
  virtual ~byte_source() = default;
  /// Reads n bytes, fewer only at the end. Throws std::runtime_error.
  virtual std::size_t read(char* to, std::size_t n) = 0;
};

class file_source : public byte_source {
 public:
  explicit file_source(std::filesystem::path const& path) : file_(std::fopen(path.c_str(), "rb")) {
    if (!file_) throw_errno("cannot be opened");
    std::setvbuf(file_.get(), nullptr, _IONBF, 0);  // line_reader has the buffer
  }

  std::size_t read(char* to, std::size_t n) override {
    auto const got = std::fread(to, 1, n, file_.get());
    if (got < n && std::ferror(file_.get())) throw_errno("cannot be read");
    return got;
  }

 private:
  [[noreturn]] static void throw_errno(char const* what) {
    throw std::runtime_error(std::string(what) + ": " +
                             std::error_code(errno, std::generic_category()).message());
  }

  struct closer {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::unique_ptr<std::FILE, closer> file_;
};

class text_source : public byte_source {
 public:
  explicit text_source(std::string_view text) : text_(text) {}

  std::size_t read(char* to, std::size_t n) override {
    auto const got = text_.copy(to, n);
    text_.remove_prefix(got);
    return got;
  }

 private:
  std::string_view text_;
};

#ifdef ARAIOS_HAVE_ZLIB
// Unpacks gzip data, also several members one after the other.
class gzip_source : public byte_source {
 public:
  /// begin: bytes already taken from `packed`.
  gzip_source(std::unique_ptr<byte_source> packed, std::string_view begin)
      : packed_(std::move(packed)), input_(begin) {
    if (inflateInit2(&stream_, 15 + 16) != Z_OK)  // largest window, gzip header
      throw std::runtime_error("cannot be unpacked: zlib does not start");
    supply(input_.size());
  }
  ~gzip_source() override { inflateEnd(&stream_); }
  gzip_source(gzip_source const&) = delete;
  gzip_source& operator=(gzip_source const&) = delete;

  std::size_t read(char* to, std::size_t n) override {
    stream_.next_out = reinterpret_cast<Bytef*>(to);
    stream_.avail_out = static_cast<uInt>(n);
    while (stream_.avail_out > 0) {
      if (stream_.avail_in == 0) {
        input_.resize(chunk);
        supply(packed_->read(input_.data(), chunk));
      }
      if (stream_.avail_in == 0) {
        if (!member_ended_) throw std::runtime_error("gzip data ends too early");
        break;
      }
      if (member_ended_) inflateReset(&stream_);
      auto const status = inflate(&stream_, Z_NO_FLUSH);
      if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR)
        throw std::runtime_error(std::string("gzip data is damaged: ") +
                                 (stream_.msg ? stream_.msg : "not a gzip member"));
      member_ended_ = status == Z_STREAM_END;
    }
    return n - stream_.avail_out;
  }

 private:
  static constexpr std::size_t chunk = std::size_t(1) << 16;

  void supply(std::size_t n) {
    stream_.next_in = reinterpret_cast<Bytef*>(input_.data());
    stream_.avail_in = static_cast<uInt>(n);
  }

  std::unique_ptr<byte_source> packed_;
  std::string input_;
  z_stream stream_ = {};
  bool member_ended_ = false;
};
#endif

bool is_blank(char c) { return c == ' ' || c == '\t'; }
bool is_line_end(char c) { return c == '\n' || c == '\r'; }
bool is_separator(char c) { return is_blank(c) || is_line_end(c); }
bool is_digit(char c) { return static_cast<unsigned char>(c - '0') <= 9; }

std::string lower_case(std::string_view text) {
  std::string result(text);
  for (auto& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t most = 40;
  std::string result = "\"";
  for (auto const c : text.substr(0, most)) {
    if (c >= ' ' && c <= '~') {
      result += c;
    } else {
      constexpr auto hex = "0123456789abcdef";
      auto const byte = static_cast<unsigned char>(c);
      result += {'\\', 'x', hex[byte / 16], hex[byte % 16]};
    }
  }
  return result + (text.size() > most ? "...\"" : "\"");
}

// Hands out a source line by line. Whole lines lie in the buffer, and the last one, if it lacks its
// line end, is followed by one that is not in the file: parsing needs no other bound.
class line_reader {
 public:
  line_reader(std::unique_ptr<byte_source> source, std::string name)
      : name_(std::move(name)), source_(std::move(source)), buffer_(new char[capacity + 1]) {
    auto const got = read(buffer_.get(), capacity);
    std::string_view const begin(buffer_.get(), got);
    pos_ = limit_ = buffer_.get();
    if (begin.starts_with("\x1f\x8b")) {
#ifdef ARAIOS_HAVE_ZLIB
      source_ = std::make_unique<gzip_source>(std::move(source_), begin);
      end_ = limit_;
#else
      fail_found("a Matrix Market file", "gzip data, and this build of Araios has no zlib");
#endif
    } else {
      end_ = buffer_.get() + got;
    }
  }

  /// Goes to the first token of the next line that is not blank; false if there is none.
  bool next_line() {
    for (;;) {
      if (pos_ == limit_ && !refill()) return false;
      ++line_;
      skip_blanks();
      if (!at_line_end()) return true;
      leave_line();
    }
  }

  /// The same for the next line that is no comment either.
  bool next_entry() {
    while (next_line()) {
      if (*pos_ != '%') return true;
      skip_line();
    }
    return false;
  }

  void skip_line() {
    while (!at_line_end()) ++pos_;
    leave_line();
  }

  /// Leaves the line; an error if there are more tokens in it.
  void finish_line() {
    skip_blanks();
    if (!at_line_end()) fail("end of line");
    leave_line();
  }

  void skip_blanks() {
    while (is_blank(*pos_)) ++pos_;
  }
  bool at_line_end() const { return is_line_end(*pos_); }

  /// The token that begins here; empty at the end of the line.
  std::string_view token() const {
    auto end = pos_;
    while (!is_separator(*end)) ++end;
    return {pos_, end};
  }

  std::string_view rest_of_line() const {
    auto end = pos_;
    while (!is_line_end(*end)) ++end;
    return {pos_, end};
  }

  char const* position() const { return pos_; }
  void advance_to(char const* pos) { pos_ = pos; }
  std::int64_t line() const { return line_; }

  [[noreturn]] void fail(std::string const& expected) const {
    fail_found(expected, at_line_end() ? "end of line" : in_quotes(token()));
  }
  [[noreturn]] void fail_found(std::string const& expected, std::string const& found) const {
    fail_at(line_, expected, found);
  }
  [[noreturn]] void fail_at(std::int64_t line, std::string const& expected,
                            std::string const& found) const {
    throw matrix_market_error(name_, std::max(line, std::int64_t(1)),
                              "expected " + expected + ", found " + found);
  }

 private:
  static constexpr std::size_t capacity = std::size_t(1) << 18;

  std::size_t read(char* to, std::size_t n) {
    try {
      return source_->read(to, n);
    } catch (std::runtime_error const& error) {
      throw matrix_market_error(name_, line_, error.what());
    }
  }

  void leave_line() {
    if (pos_ == limit_) return;  // the line end that is not in the file
    if (*pos_ == '\r' && pos_ + 1 < limit_ && pos_[1] == '\n') ++pos_;
    ++pos_;
  }

  // Moves the incomplete line behind limit_ to the front and reads on. False at the end.
  bool refill() {
    auto const begin = buffer_.get();
    auto const kept = static_cast<std::size_t>(end_ - limit_);
    std::memmove(begin, limit_, kept);
    end_ = begin + kept + read(begin + kept, capacity - kept);
    *end_ = '\n';
    pos_ = begin;
    limit_ = end_;
    if (end_ == begin + capacity) {
      // A CR at the very end may be half of a CRLF, so that it ends no line yet.
      if (limit_[-1] == '\r') --limit_;
      while (limit_ != begin && !is_line_end(limit_[-1])) --limit_;
      if (limit_ == begin)
        fail_at(line_ + 1, line_ == 0 ? "the banner %%MatrixMarket" : "end of line",
                "a line of more than " + std::to_string(capacity) + " bytes");
    }
    return pos_ != limit_;
  }

  std::string name_;
  std::unique_ptr<byte_source> source_;
  std::unique_ptr<char[]> buffer_;
  char const* pos_ = nullptr;
  char* limit_ = nullptr;  // end of the complete lines
  char* end_ = nullptr;    // end of the bytes read
  std::int64_t line_ = 0;
};

// An integer in the text; its magnitude is meaningless if it needs more than 64 bits.
struct integer_token {
  bool negative;
  bool overflow;
  std::uint64_t magnitude;

  bool in(std::uint64_t lowest_magnitude, std::uint64_t highest) const {
    return !overflow && magnitude <= (negative ? lowest_magnitude : highest);
  }
};

std::optional<integer_token> parse_integer(std::string_view token) {
  bool const negative = token.starts_with('-');
  if (negative || token.starts_with('+')) token.remove_prefix(1);
  if (token.empty() || !std::all_of(token.begin(), token.end(), is_digit)) return {};
  std::uint64_t magnitude = 0;
  auto const [end, error] = std::from_chars(token.data(), token.data() + token.size(), magnitude);
  return integer_token{negative, error != std::errc(), magnitude};
}

enum class number_error { none, syntax, overflow };

// Whether a number that is neither in the range of its type nor zero is below 1.
bool is_below_one(std::string_view token) {
  auto const exponent_at = token.find('e');
  std::int64_t exponent = 0;
  if (exponent_at != token.npos) {
    auto const value = parse_integer(token.substr(exponent_at + 1)).value();
    constexpr std::uint64_t huge = std::uint64_t(1) << 62;
    exponent = static_cast<std::int64_t>(value.overflow ? huge : std::min(value.magnitude, huge));
    if (value.negative) exponent = -exponent;
  }
  auto const digits = token.substr(0, exponent_at);
  auto const first = static_cast<std::int64_t>(digits.find_first_of("123456789"));
  auto const point = static_cast<std::int64_t>(std::min(digits.find('.'), digits.size()));
  return (first < point ? point - first : point - first + 1) + exponent <= 0;
}

// Any number, by std::from_chars, which rounds correctly and ignores the locale.
template <class Real>
number_error parse_any_real(std::string_view token, Real& value) {
  auto text = lower_case(token);
  bool const negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.erase(0, 1);
  if (text == "inf" || text == "infinity" || text == "nan") {
    value = text == "nan" ? std::numeric_limits<Real>::quiet_NaN()
                          : std::numeric_limits<Real>::infinity();
  } else {
    if (text.empty() || !(is_digit(text[0]) || text[0] == '.')) return number_error::syntax;
    std::replace(text.begin(), text.end(), 'd', 'e');
    auto const end = text.data() + text.size();
    auto const [stop, error] = std::from_chars(text.data(), end, value);
    if (stop != end || error == std::errc::invalid_argument) return number_error::syntax;
    if (error == std::errc::result_out_of_range || std::isinf(value)) {
      if (!is_below_one(text)) return number_error::overflow;
      value = 0;
    }
  }
  if (negative) value = -value;
  return number_error::none;
}

constexpr std::array powers_of_ten = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                      1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                      1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

// If d, rounded to double, can be rounded again without another result than rounding once.
bool rounds_safely_to_float(double d) {
  constexpr std::uint64_t half = std::uint64_t(1) << 28;  // of the last bit of a float
  auto const magnitude = std::abs(d);
  return (std::bit_cast<std::uint64_t>(d) & (2 * half - 1)) != half &&
         ((magnitude >= std::numeric_limits<float>::min() &&
           magnitude <= std::numeric_limits<float>::max()) ||
          magnitude == 0);
}

// Reads a number that ends in a separator. Returns the end of the token if there is no error.
template <class Real>
number_error parse_real(char const* begin, char const*& end, Real& value) {
  auto p = begin;
  bool const negative = *p == '-';
  if (negative || *p == '+') ++p;
  auto const digits_begin = p;
  std::uint64_t mantissa = 0;
  auto const digits = [&mantissa, &p] {
    auto const first = p;
    for (; is_digit(*p); ++p) mantissa = 10 * mantissa + static_cast<std::uint64_t>(*p - '0');
    return static_cast<int>(p - first);
  };
  auto num_digits = digits();
  int exponent = 0;
  if (*p == '.') {
    ++p;
    exponent = -digits();
    num_digits -= exponent;
  }
  bool valid = num_digits > 0;
  bool fortran = false;
  if (!is_separator(*p)) {
    auto const letter = *p | 0x20;
    bool const minus = p[1] == '-';
    p += minus || p[1] == '+' ? 2 : 1;
    int shift = 0;
    auto const first = p;
    for (; is_digit(*p) && p - first < 4; ++p) shift = 10 * shift + (*p - '0');
    exponent += minus ? -shift : shift;
    fortran = letter == 'd';
    valid = valid && (letter == 'e' || fortran) && p != first && is_separator(*p);
  }
  end = p;
  // Both mantissa and power are exact, so that one operation rounds once.
  if (valid && num_digits <= 19 && mantissa <= std::uint64_t(1) << 53 && exponent >= -22 &&
      exponent <= 22) {
    auto const power = powers_of_ten[static_cast<std::size_t>(std::abs(exponent))];
    auto const m = static_cast<double>(mantissa);
    auto const d = exponent < 0 ? m / power : m * power;
    if (std::is_same_v<Real, double> || rounds_safely_to_float(d)) {
      value = static_cast<Real>(negative ? -d : d);
      return number_error::none;
    }
  }
  if (valid && !fortran) {
    auto const [stop, error] = std::from_chars(digits_begin, p, value);
    if (error == std::errc() && stop == p && !std::isinf(value)) {
      if (negative) value = -value;
      return number_error::none;
    }
  }
  end = begin;
  while (!is_separator(*end)) ++end;
  return parse_any_real(std::string_view(begin, end), value);
}

// The type that a file promises by %%GraphBLAS.
struct promised_type {
  std::string name;
  bool is_complex = false;
  bool is_integer = false;
  std::uint64_t lowest_magnitude = 0;
  std::uint64_t highest = 0;

  bool is_unsigned() const { return is_integer && lowest_magnitude == 0; }
};

std::optional<promised_type> find_promised_type(std::string const& name) {
  if (name == "float" || name == "double") return promised_type{name};
  if (name == "float complex" || name == "double complex") return promised_type{name, true};
  if (name == "bool") return promised_type{name, false, true, 0, 1};
  for (int bits = 8; bits <= 64; bits *= 2) {
    auto const all = ~std::uint64_t(0) >> (64 - bits);
    auto const width = std::to_string(bits) + "_t";
    if (name == "uint" + width) return promised_type{name, false, true, 0, all};
    if (name == "int" + width) return promised_type{name, false, true, all / 2 + 1, all / 2};
  }
  return {};
}

template <class T>
concept complex_carrier = !std::is_arithmetic_v<T>;

template <class T>
struct real_of {
  using type = T;
};
template <class T>
struct real_of<std::complex<T>> {
  using type = T;
};

// Reads banner, comments and size line.
class header_reader {
 public:
  explicit header_reader(line_reader& lines) : lines_(lines) {}

  void read_banner() {
    constexpr auto banner = "the banner %%MatrixMarket OBJECT FORMAT FIELD SYMMETRY";
    if (!lines_.next_line()) lines_.fail_found(banner, "end of file");
    auto const word = lower_case(lines_.token());
    if (word != "%%matrixmarket" && word != "%matrixmarket")
      lines_.fail_found(banner, in_quotes(lines_.rest_of_line()));
    lines_.advance_to(lines_.position() + word.size());

    header.object = next_word<object_kind>("object", {"matrix", "vector"});
    header.format = next_word<format_kind>("format", {"coordinate", "array"});
    constexpr auto double_word = static_cast<field_kind>(4);
    header.field =
        next_word<field_kind>("field", {"real", "integer", "complex", "pattern", "double"});
    if (header.field == double_word) header.field = field_kind::real;
    lines_.skip_blanks();
    auto const symmetry_at = lines_.position();
    header.symmetry = next_word<symmetry_kind>(
        "symmetry", {"general", "symmetric", "skew-symmetric", "hermitian"});

    auto const symmetry = header.symmetry;
    auto const refuse = [&](bool wrong, char const* expected) {
      if (!wrong) return;
      lines_.advance_to(symmetry_at);
      lines_.fail(expected);
    };
    refuse(header.object == object_kind::vector && symmetry != symmetry_kind::general,
           "symmetry general of a vector");
    refuse(header.field == field_kind::pattern && symmetry != symmetry_kind::general &&
               symmetry != symmetry_kind::symmetric,
           "symmetry general or symmetric of a pattern");
    refuse(symmetry == symmetry_kind::hermitian && header.field != field_kind::complex,
           "field complex of a hermitian matrix or another symmetry");
    if (header.format == format_kind::array && header.field == field_kind::pattern)
      lines_.fail_found("field real, integer or complex of an array", "\"pattern\"");
    lines_.finish_line();
  }

  /// Whether values of the file may become Carriers.
  template <class Carrier>
  void check_conversion() const {
    if (std::is_integral_v<Carrier> && header.field != field_kind::integer &&
        header.field != field_kind::pattern)
      lines_.fail_found("field integer or pattern for integer values",
                        header.field == field_kind::real ? "real" : "complex");
    if (!complex_carrier<Carrier> && header.field == field_kind::complex)
      lines_.fail_found("field real, integer or pattern for real values", "complex");
    if (std::is_unsigned_v<Carrier> && header.symmetry == symmetry_kind::skew_symmetric)
      lines_.fail_found("another symmetry for unsigned values", "skew-symmetric");
  }

  void read_size() {
    auto const size_line = std::string("the size line ") +
                           (header.object == object_kind::matrix ? "ROWS COLUMNS" : "ROWS") +
                           (header.format == format_kind::coordinate ? " ENTRIES" : "");
    do {
      if (!lines_.next_line()) lines_.fail_found(size_line, "end of file");
    } while (skip_comment());

    header.num_rows = next_count("number of rows", size_line);
    header.num_cols =
        header.object == object_kind::vector ? 1 : next_count("number of columns", size_line);
    if (header.symmetry != symmetry_kind::general && header.num_rows != header.num_cols)
      lines_.fail_found("a square matrix, as it is not general",
                        std::to_string(header.num_rows) + " x " + std::to_string(header.num_cols));
    header.entries = header.format == format_kind::coordinate
                         ? next_count("number of entries", size_line)
                         : array_entries();
    lines_.finish_line();
  }

  matrix_market_header header;
  std::optional<promised_type> promise;

 private:
  // Takes the next word, which must be one of `words`, in the order of the enumerators.
  template <class Kind>
  Kind next_word(char const* what, std::initializer_list<char const*> words) {
    lines_.skip_blanks();
    auto const word = lower_case(lines_.token());
    auto const found = std::find(words.begin(), words.end(), word);
    if (found == words.end()) {
      auto expected = what + std::string(" ");
      for (auto const& w : words)
        expected += (&w == words.begin()     ? ""
                     : &w + 1 == words.end() ? " or "
                                             : ", ") +
                    std::string(w);
      lines_.fail(expected);
    }
    lines_.advance_to(lines_.position() + word.size());
    return static_cast<Kind>(found - words.begin());
  }

  // False if the line is no comment.
  bool skip_comment() {
    if (*lines_.position() != '%') return false;
    if (lines_.token() == "%%GraphBLAS") read_promise();
    lines_.skip_line();
    return true;
  }

  void read_promise() {
    std::array<std::string, 4> words;  // %%GraphBLAS type NAME [complex]
    for (auto& word : words) {
      lines_.skip_blanks();
      word = lines_.token();
      lines_.advance_to(lines_.position() + word.size());
    }
    if (words[1] != "type") return;
    auto const name = words[2] + (words[3].empty() ? "" : " " + words[3]);
    promise = find_promised_type(name);
    if (!promise) lines_.fail_found("a GraphBLAS type", in_quotes(name));
    if (header.field == field_kind::complex && !promise->is_complex)
      lines_.fail_found("a complex GraphBLAS type in a complex file", in_quotes(name));
    if (header.symmetry == symmetry_kind::skew_symmetric && promise->is_unsigned())
      lines_.fail_found("a signed GraphBLAS type in a skew-symmetric file", in_quotes(name));
  }

  std::int64_t next_count(char const* what, std::string const& size_line) {
    lines_.skip_blanks();
    constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
    auto const token = lines_.token();
    auto const count = parse_integer(token);
    if (token.empty()) lines_.fail(what + std::string(" in ") + size_line);
    if (!count || !count->in(0, most))
      lines_.fail(what + std::string(" in 0..") + std::to_string(most));
    lines_.advance_to(token.data() + token.size());
    return static_cast<std::int64_t>(count->magnitude);
  }

  std::int64_t array_entries() const {
    auto const rows = header.num_rows;
    auto const cols = header.num_cols;
    if (cols != 0 && rows > std::numeric_limits<std::int64_t>::max() / cols)
      lines_.fail_found("an array of fewer than 2^63 values",
                        std::to_string(rows) + " x " + std::to_string(cols));
    auto const all = rows * cols;
    switch (header.symmetry) {
      case symmetry_kind::general:
        return all;
      case symmetry_kind::skew_symmetric:
        return (all - rows) / 2;
      default:
        return (all - rows) / 2 + rows;
    }
  }

  line_reader& lines_;
};

// The value at (j,i) of a matrix that has `value` at (i,j). The smallest integer stays as it is.
template <class Carrier>
Carrier mirrored(Carrier value, symmetry_kind symmetry) {
  if (symmetry == symmetry_kind::skew_symmetric) {
    if constexpr (std::is_integral_v<Carrier>)
      return static_cast<Carrier>(0 - static_cast<std::uint64_t>(value));
    else
      return -value;
  }
  if constexpr (complex_carrier<Carrier>)
    if (symmetry == symmetry_kind::hermitian) return std::conj(value);
  return value;
}

// Whether a value may stand on the diagonal.
template <class Carrier>
bool fits_diagonal(Carrier value, symmetry_kind symmetry) {
  if (symmetry == symmetry_kind::skew_symmetric) return value == Carrier{};
  if constexpr (complex_carrier<Carrier>)
    if (symmetry == symmetry_kind::hermitian) return value.imag() == 0;
  return true;
}

// The first row that the array format stores of column j.
std::int64_t first_array_row(symmetry_kind symmetry, std::int64_t j) {
  if (symmetry == symmetry_kind::general) return 0;
  return symmetry == symmetry_kind::skew_symmetric ? j + 1 : j;
}

template <class Carrier>
class matrix_reader {
 public:
  using real = typename real_of<Carrier>::type;

  matrix_reader(line_reader& lines, std::uintmax_t num_bytes, value_filter<Carrier> const& filter)
      : lines_(lines), num_bytes_(num_bytes), filter_(filter), head_(lines) {}

  coordinate_matrix<Carrier> read() {
    head_.read_banner();
    head_.template check_conversion<Carrier>();
    head_.read_size();
    auto const& header = head_.header;
    matrix_.num_rows = header.num_rows;
    matrix_.num_cols = header.num_cols;
    reserve();
    if (header.format == format_kind::coordinate)
      read_coordinates();
    else
      read_array();
    if (lines_.next_entry())
      lines_.fail_found("end of file after " + std::to_string(header.entries) + " entries",
                        in_quotes(lines_.rest_of_line()));
    if (head_.promise && header.format == format_kind::coordinate) refuse_duplicates();
    return std::move(matrix_);
  }

 private:
  // Room for the entries announced, but for no more than the bytes at hand can describe, each
  // number taking two of them at least. Packed files may hold more; then the vectors grow.
  void reserve() {
    auto const& header = head_.header;
    unsigned const numbers = (header.format == format_kind::array ? 0 : 2) +
                             (header.field == field_kind::pattern ? 0 : 1);
    auto const announced = static_cast<std::uintmax_t>(header.entries);
    auto const possible = num_bytes_ / (2 * numbers) + 1;
    auto const copies = header.symmetry == symmetry_kind::general ? 1 : 2;
    auto const n = static_cast<std::size_t>(std::min(announced, possible)) * copies;
    matrix_.rows.reserve(n);
    matrix_.cols.reserve(n);
    matrix_.values.reserve(n);
  }

  void read_coordinates() {
    auto const [object, format, field, symmetry, num_rows, num_cols, entries] = head_.header;
    for (std::int64_t k = 0; k < entries; ++k) {
      next_entry(k);
      auto const i = next_index("row index", num_rows);
      auto const j = object == object_kind::vector ? 0 : next_index("column index", num_cols);
      if (j > i && symmetry != symmetry_kind::general)
        lines_.fail_found("entry on or below the diagonal, as the matrix is not general",
                          "(" + std::to_string(i + 1) + ", " + std::to_string(j + 1) + ")");
      store(i, j, next_value(field));
    }
  }

  void read_array() {
    auto const& header = head_.header;
    std::int64_t j = 0;
    std::int64_t i = first_array_row(header.symmetry, j);
    for (std::int64_t k = 0; k < header.entries; ++k) {
      next_entry(k);
      store(i, j, next_value(header.field));
      if (++i == header.num_rows) i = first_array_row(header.symmetry, ++j);
    }
  }

  void next_entry(std::int64_t k) {
    if (!lines_.next_entry())
      lines_.fail_found(std::to_string(head_.header.entries) + " entries",
                        "end of file after " + std::to_string(k));
  }

  // Takes an index, which is given from 1 to `extent`, and returns it from 0.
  std::int64_t next_index(char const* what, std::int64_t extent) {
    auto p = lines_.position();
    std::uint64_t index = 0;
    auto const begin = p;
    for (; is_digit(*p); ++p) index = 10 * index + static_cast<std::uint64_t>(*p - '0');
    constexpr int safe_digits = 19;  // these cannot overflow
    if (index - 1 >= static_cast<std::uint64_t>(extent) || p - begin > safe_digits ||
        !is_separator(*p))
      return next_unusual_index(what, extent);
    lines_.advance_to(p);
    lines_.skip_blanks();
    return static_cast<std::int64_t>(index - 1);
  }

  std::int64_t next_unusual_index(char const* what, std::int64_t extent) {
    auto const token = lines_.token();
    auto const index = parse_integer(token);
    if (!index || !index->in(0, static_cast<std::uint64_t>(extent)) || index->magnitude == 0)
      lines_.fail(what + std::string(" in 1..") + std::to_string(extent));
    lines_.advance_to(token.data() + token.size());
    lines_.skip_blanks();
    return static_cast<std::int64_t>(index->magnitude - 1);
  }

  Carrier next_value(field_kind field) {
    value_at_ = lines_.position();
    if (field == field_kind::pattern) return Carrier(1);
    if (field == field_kind::integer) return next_integer();
    if constexpr (complex_carrier<Carrier>) {
      auto const first = next_real();
      if (field == field_kind::real) return first;
      lines_.skip_blanks();
      return {first, next_real()};
    } else {
      return static_cast<Carrier>(next_real());  // check_conversion() has refused integers
    }
  }

  Carrier next_integer() {
    auto const token = lines_.token();
    auto const integer = parse_integer(token);
    if (!integer) lines_.fail("integer value");
    if (auto const& type = head_.promise; type && type->is_integer)
      if (!integer->in(type->lowest_magnitude, type->highest)) fail_promise();

    auto const magnitude = integer->magnitude;
    Carrier value{};
    if constexpr (std::is_integral_v<Carrier>) {
      using limits = std::numeric_limits<Carrier>;
      if (!integer->in(0 - static_cast<std::uint64_t>(limits::min()),
                       static_cast<std::uint64_t>(limits::max())))
        lines_.fail("value in " + std::to_string(limits::min()) + ".." +
                    std::to_string(limits::max()));
      value = static_cast<Carrier>(integer->negative ? 0 - magnitude : magnitude);
    } else if (integer->overflow) {
      return next_real();
    } else {
      value = integer->negative ? -static_cast<real>(magnitude) : static_cast<real>(magnitude);
    }
    lines_.advance_to(token.data() + token.size());
    return value;
  }

  real next_real() {
    using number = std::conditional_t<std::is_integral_v<real>, double, real>;
    auto const begin = lines_.position();
    auto end = begin;
    number value = 0;
    switch (parse_real(begin, end, value)) {
      case number_error::none:
        break;
      case number_error::syntax:
        lines_.fail("number");
      case number_error::overflow:
        lines_.fail(std::string("number in the range of ") +
                    (std::is_same_v<real, float> ? "float" : "double"));
    }
    if (head_.promise && head_.promise->is_integer) check_promise(begin, end);
    lines_.advance_to(end);
    return static_cast<real>(value);
  }

  // A value of a real file that promises integers.
  void check_promise(char const* begin, char const* end) const {
    double value = 0;
    parse_real(begin, end, value);
    auto const& type = *head_.promise;
    if (!(value == std::floor(value) && value >= -static_cast<double>(type.lowest_magnitude) &&
          value <= static_cast<double>(type.highest)))
      fail_promise();
  }

  [[noreturn]] void fail_promise() const {
    lines_.fail("value of GraphBLAS type " + head_.promise->name);
  }

  // Appends an entry and its mirror image and leaves the line.
  void store(std::int64_t i, std::int64_t j, Carrier value) {
    auto const symmetry = head_.header.symmetry;
    push(i, j, value);
    if (symmetry != symmetry_kind::general) {
      if (i == j) {
        if (!fits_diagonal(value, symmetry))
          fail_value(symmetry == symmetry_kind::skew_symmetric
                         ? "0 on the diagonal of a skew-symmetric matrix"
                         : "real number on the diagonal of a hermitian matrix");
      } else {
        auto const image = mirrored(value, symmetry);
        if constexpr (std::is_integral_v<Carrier>)
          if (symmetry == symmetry_kind::skew_symmetric && image == value && value != 0)
            fail_value("value whose negative fits, too");
        push(j, i, image);
      }
    }
    lines_.finish_line();
  }

  void push(std::int64_t i, std::int64_t j, Carrier value) {
    if (filter_.accepts && !filter_.accepts(value)) fail_value(filter_.expected);
    matrix_.rows.push_back(i);
    matrix_.cols.push_back(j);
    matrix_.values.push_back(value);
    if (head_.promise) line_of_.push_back(lines_.line());
  }

  // Like lines_.fail(), but shows the value, or all of its parts.
  [[noreturn]] void fail_value(std::string const& expected) const {
    lines_.fail_found(expected, in_quotes({value_at_, lines_.position()}));
  }

  // Entries in GraphBLAS have different places.
  void refuse_duplicates() const {
    std::vector<std::size_t> order(matrix_.values.size());
    std::iota(order.begin(), order.end(), std::size_t(0));
    auto const key = [this](std::size_t k) {
      return std::tuple(matrix_.rows[k], matrix_.cols[k], line_of_[k]);
    };
    std::sort(order.begin(), order.end(),
              [&key](std::size_t a, std::size_t b) { return key(a) < key(b); });
    auto const same_place = [this](std::size_t a, std::size_t b) {
      return matrix_.rows[a] == matrix_.rows[b] && matrix_.cols[a] == matrix_.cols[b];
    };
    auto const first = std::adjacent_find(order.begin(), order.end(), same_place);
    if (first != order.end())
      lines_.fail_at(line_of_[first[1]], "every place once, as in any GraphBLAS matrix",
                     "entry of line " + std::to_string(line_of_[first[0]]) + " again");
  }

  line_reader& lines_;
  std::uintmax_t num_bytes_;
  value_filter<Carrier> const& filter_;
  header_reader head_;
  coordinate_matrix<Carrier> matrix_;
  char const* value_at_ = nullptr;
  std::vector<std::int64_t> line_of_;  // line of each entry, if duplicates are to be refused
};

line_reader open_file(std::filesystem::path const& path) {
  try {
    return {std::make_unique<file_source>(path), path.string()};
  } catch (matrix_market_error const&) {
    throw;
  } catch (std::runtime_error const& error) {
    throw matrix_market_error(path.string(), 0, error.what());
  }
}

line_reader open_text(std::string_view text, std::string const& name) {
  return {std::make_unique<text_source>(text), name};
}

matrix_market_header read_header(line_reader lines) {
  header_reader head(lines);
  head.read_banner();
  head.read_size();
  return head.header;
}

// Text on its way to a stream.
class text_sink {
 public:
  explicit text_sink(std::ostream& out) : out_(out) { text_.reserve(2 * full); }

  void put(std::string_view text) { text_ += text; }

  template <class Number>
    requires std::is_arithmetic_v<Number>
  void put(Number number) {
    std::array<char, 32> digits;
    auto const end = std::to_chars(digits.begin(), digits.end(), number).ptr;
    text_.append(digits.begin(), end);
  }
  template <class Real>
  void put(std::complex<Real> number) {
    put(number.real());
    put(" ");
    put(number.imag());
  }

  void end_line() {
    text_ += '\n';
    if (text_.size() >= full) flush();
  }

  void flush() {
    out_.write(text_.data(), static_cast<std::streamsize>(text_.size()));
    text_.clear();
  }

 private:
  static constexpr std::size_t full = std::size_t(1) << 16;
  std::ostream& out_;
  std::string text_;
};

[[noreturn]] void refuse_to_write(std::string const& why) {
  throw std::invalid_argument("araios::write_matrix_market: " + why);
}

// Indices of the entries that `selects` selects, stably sorted by `key`.
template <class Carrier, class Selects, class Key>
std::vector<std::size_t> sorted_entries(entry_list<Carrier> const& a, Selects const& selects,
                                        Key const& key) {
  std::vector<std::size_t> order;
  for (std::size_t k = 0; k < a.values.size(); ++k)
    if (selects(a.rows[k], a.cols[k])) order.push_back(k);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) {
    return key(a.rows[x], a.cols[x]) < key(a.rows[y], a.cols[y]);
  });
  return order;
}

template <class Carrier>
bool has_symmetry(entry_list<Carrier> const& a, symmetry_kind symmetry) {
  if (a.num_rows != a.num_cols) return false;
  for (std::size_t k = 0; k < a.values.size(); ++k)
    if (a.rows[k] == a.cols[k] && !fits_diagonal(a.values[k], symmetry)) return false;

  using index = std::int64_t;
  auto const lower = sorted_entries(
      a, [](index i, index j) { return i > j; }, [](index i, index j) { return std::pair(i, j); });
  auto const upper = sorted_entries(
      a, [](index i, index j) { return i < j; }, [](index i, index j) { return std::pair(j, i); });
  return std::equal(
      lower.begin(), lower.end(), upper.begin(), upper.end(), [&](std::size_t l, std::size_t u) {
        auto const value = a.values[u];
        auto const image = mirrored(a.values[l], symmetry);
        bool const same = image == value || (image != image && value != value);  // NaN is NaN
        return a.rows[l] == a.cols[u] && a.cols[l] == a.rows[u] && same;
      });
}

template <class Carrier>
void check_before_writing(entry_list<Carrier> const& a, matrix_market_options const& options) {
  auto const symmetry = options.symmetry;
  if (a.rows.size() != a.values.size() || a.cols.size() != a.values.size())
    refuse_to_write("the matrix has " + std::to_string(a.rows.size()) + " row indices, " +
                    std::to_string(a.cols.size()) + " column indices and " +
                    std::to_string(a.values.size()) + " values");
  for (std::size_t k = 0; k < a.values.size(); ++k)
    if (a.rows[k] < 0 || a.rows[k] >= a.num_rows || a.cols[k] < 0 || a.cols[k] >= a.num_cols)
      refuse_to_write("entry " + std::to_string(k) + " lies at (" + std::to_string(a.rows[k]) +
                      ", " + std::to_string(a.cols[k]) + ") in a matrix of " +
                      std::to_string(a.num_rows) + " x " + std::to_string(a.num_cols));
  if (options.pattern) {
    if (options.format == format_kind::array || symmetry == symmetry_kind::skew_symmetric ||
        symmetry == symmetry_kind::hermitian)
      refuse_to_write("a pattern is written in coordinate format, general or symmetric");
    if (!std::all_of(a.values.begin(), a.values.end(), [](Carrier v) { return v == Carrier(1); }))
      refuse_to_write("the values of a pattern must be 1");
  }
  if (symmetry == symmetry_kind::hermitian && !complex_carrier<Carrier>)
    refuse_to_write("only complex matrices are written as hermitian");
  if (symmetry == symmetry_kind::skew_symmetric && std::is_unsigned_v<Carrier>)
    refuse_to_write("no unsigned matrix is written as skew-symmetric");
  if (symmetry != symmetry_kind::general && !has_symmetry(a, symmetry))
    refuse_to_write("the matrix does not have the symmetry to be written");
}

template <class Carrier>
void put_banner(text_sink& sink, matrix_market_options const& options) {
  constexpr std::array symmetries = {"general", "symmetric", "skew-symmetric", "hermitian"};
  sink.put("%%MatrixMarket matrix ");
  sink.put(options.format == format_kind::array ? "array " : "coordinate ");
  sink.put(options.pattern               ? "pattern "
           : std::is_integral_v<Carrier> ? "integer "
           : complex_carrier<Carrier>    ? "complex "
                                         : "real ");
  sink.put(symmetries[static_cast<std::size_t>(options.symmetry)]);
  sink.end_line();
  std::string_view rest = options.comment;
  while (!rest.empty()) {
    auto const line = rest.substr(0, rest.find_first_of("\r\n"));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    sink.put("% ");
    sink.put(line);
    sink.end_line();
  }
}

template <class Carrier>
void put_coordinates(text_sink& sink, entry_list<Carrier> const& a,
                     matrix_market_options const& options) {
  auto const writes = [&](std::size_t k) {
    return options.symmetry == symmetry_kind::general || a.rows[k] >= a.cols[k];
  };
  std::size_t count = 0;
  for (std::size_t k = 0; k < a.values.size(); ++k) count += writes(k);
  sink.put(a.num_rows);
  sink.put(" ");
  sink.put(a.num_cols);
  sink.put(" ");
  sink.put(count);
  sink.end_line();
  for (std::size_t k = 0; k < a.values.size(); ++k) {
    if (!writes(k)) continue;
    sink.put(a.rows[k] + 1);
    sink.put(" ");
    sink.put(a.cols[k] + 1);
    if (!options.pattern) {
      sink.put(" ");
      sink.put(a.values[k]);
    }
    sink.end_line();
  }
}

template <class Carrier>
void put_array(text_sink& sink, entry_list<Carrier> const& a, symmetry_kind symmetry) {
  sink.put(a.num_rows);
  sink.put(" ");
  sink.put(a.num_cols);
  sink.end_line();
  if (a.num_rows == 0) return;
  using index = std::int64_t;
  auto const first_row = [symmetry](index j) { return first_array_row(symmetry, j); };
  auto const order = sorted_entries(
      a, [&](index i, index j) { return i >= first_row(j); },
      [](index i, index j) { return std::pair(j, i); });
  auto next = order.begin();
  for (index j = 0; j < a.num_cols; ++j) {
    for (index i = first_row(j); i < a.num_rows; ++i) {
      Carrier sum{};
      if (next != order.end() && a.rows[*next] == i && a.cols[*next] == j) sum = a.values[*next++];
      for (; next != order.end() && a.rows[*next] == i && a.cols[*next] == j; ++next)
        sum += a.values[*next];
      sink.put(sum);
      sink.end_line();
    }
  }
}

template <class Carrier>
void put_matrix(std::ostream& out, entry_list<Carrier> const& a,
                matrix_market_options const& options) {
  text_sink sink(out);
  put_banner<Carrier>(sink, options);
  if (options.format == format_kind::array)
    put_array(sink, a, options.symmetry);
  else
    put_coordinates(sink, a, options);
  sink.flush();
}

}  // namespace

template <class Carrier>
coordinate_matrix<Carrier> read_matrix_market_file(std::filesystem::path const& path,
                                                   value_filter<Carrier> const& filter) {
  auto lines = open_file(path);
  std::error_code no_file;
  auto const size = std::filesystem::file_size(path, no_file);  // fails for a pipe
  return matrix_reader<Carrier>(lines, no_file ? 0 : size, filter).read();
}

template <class Carrier>
coordinate_matrix<Carrier> read_matrix_market_text(std::string_view text, std::string const& name,
                                                   value_filter<Carrier> const& filter) {
  auto lines = open_text(text, name);
  return matrix_reader<Carrier>(lines, text.size(), filter).read();
}

template <class Carrier>
void write_entries(std::ostream& out, entry_list<Carrier> const& a,
                   matrix_market_options const& options) {
  check_before_writing(a, options);
  put_matrix(out, a, options);
  if (!out) throw std::runtime_error("araios::write_matrix_market: writing to the stream failed");
}

template <class Carrier>
void write_entries(std::filesystem::path const& path, entry_list<Carrier> const& a,
                   matrix_market_options const& options) {
  if (path.extension() == ".gz") refuse_to_write(path.string() + ": files are not compressed");
  check_before_writing(a, options);
  std::ofstream out(path, std::ios::binary);
  if (out) put_matrix(out, a, options);
  out.close();
  if (!out)
    throw std::runtime_error(
        "araios::write_matrix_market: " + path.string() +
        " cannot be written: " + std::error_code(errno, std::generic_category()).message());
}

#define ARAIOS_MATRIX_MARKET_CARRIER(CARRIER)                                                \
  template coordinate_matrix<CARRIER> read_matrix_market_file(std::filesystem::path const&,  \
                                                              value_filter<CARRIER> const&); \
  template coordinate_matrix<CARRIER> read_matrix_market_text(                               \
      std::string_view, std::string const&, value_filter<CARRIER> const&);                   \
  template void write_entries(std::ostream&, entry_list<CARRIER> const&,                     \
                              matrix_market_options const&);                                 \
  template void write_entries(std::filesystem::path const&, entry_list<CARRIER> const&,      \
                              matrix_market_options const&);

ARAIOS_MATRIX_MARKET_CARRIER(float)
ARAIOS_MATRIX_MARKET_CARRIER(double)
ARAIOS_MATRIX_MARKET_CARRIER(std::int64_t)
ARAIOS_MATRIX_MARKET_CARRIER(std::uint64_t)
ARAIOS_MATRIX_MARKET_CARRIER(std::complex<float>)
ARAIOS_MATRIX_MARKET_CARRIER(std::complex<double>)
#undef ARAIOS_MATRIX_MARKET_CARRIER

}  // namespace impl

matrix_market_header read_matrix_market_header(std::filesystem::path const& path) {
  return impl::read_header(impl::open_file(path));
}

matrix_market_header parse_matrix_market_header(std::string_view text, std::string const& name) {
  return impl::read_header(impl::open_text(text, name));
}

}  // namespace araios

#include "reports/text.h"

#include <locale.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "sim/kernel/memory.h"

static const uint32_t NOT_UTF8 = UINT32_MAX;

/* The next character of a text that has not ended; returns its bytes (1 if they are not UTF-8). */
static size_t decode(const char *text, uint32_t *character) {
    const unsigned char *bytes = (const unsigned char *)text;
    unsigned char lead = bytes[0];
    if (lead < 0x80) {
        *character = lead;
        return 1;
    }
    size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    uint32_t value = lead & (0xFFu >> (length + 1));
    bool valid = lead >= 0xC2 && lead <= 0xF4;
    for (size_t i = 1; valid && i < length; i++) {
        valid = (bytes[i] & 0xC0) == 0x80; /* false at the terminating zero, too */
        value = (value << 6) | (bytes[i] & 0x3Fu);
    }
    valid = valid && value >= smallest[length] && value <= 0x10FFFF &&
            !(value >= 0xD800 && value <= 0xDFFF);
    *character = valid ? value : NOT_UTF8;
    return valid ? length : 1;
}

/* wcwidth() speaks of the thread's locale, which is the user's affair and may not be UTF-8. Loading
 * the one that is reads files, so it is done once in the life of a process. */
static locale_t utf8_locale;

static void load_utf8_locale(void) {
    utf8_locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
}

/* Returns the locale to go back to with leave_utf8. */
static locale_t enter_utf8(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load_utf8_locale);
    return utf8_locale != (locale_t)0 ? uselocale(utf8_locale) : (locale_t)0;
}

static void leave_utf8(locale_t before) {
    if (before != (locale_t)0) {
        uselocale(before);
    }
}

static size_t character_width(uint32_t character) {
    if (character < 0x7F || character == NOT_UTF8) {
        return 1;
    }
    int width = wcwidth((wchar_t)character);
    return width >= 0 ? (size_t)width : 1;
}

static bool is_ascii(const char *text) {
    while (*text != '\0' && (unsigned char)*text < 0x80) {
        text++;
    }
    return *text == '\0';
}

/* The width of a text; *fitting is how many of its bytes take no more than `limit` columns. */
static size_t measure(const char *text, size_t limit, size_t *fitting) {
    locale_t before = enter_utf8();
    size_t width = 0;
    size_t place = 0;
    *fitting = 0;
    while (text[place] != '\0') {
        uint32_t character = 0;
        place += decode(text + place, &character);
        width += character_width(character);
        if (width <= limit) {
            *fitting = place;
        }
    }
    leave_utf8(before);
    return width;
}

size_t text_width(const char *text) {
    size_t unused = 0;
    return is_ascii(text) ? strlen(text) : measure(text, 0, &unused);
}

char *text_abbreviated(const char *text, size_t width) {
    static const char ellipsis[] = "…";
    size_t fitting = 0;
    if (measure(text, width > 0 ? width - 1 : 0, &fitting) <= width) {
        return memory_duplicate_string(text);
    }
    char *shorter = memory_allocate(fitting + sizeof(ellipsis));
    memcpy(shorter, text, fitting);
    memcpy(shorter + fitting, ellipsis, sizeof(ellipsis));
    return shorter;
}

/* Characters that act instead of showing. */
static bool is_hidden(uint32_t c) {
    return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0xAD || (c >= 0x200B && c <= 0x200F) ||
           (c >= 0x2028 && c <= 0x202E) || (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF;
}

static void append(char **end, const char *text, size_t length) {
    memcpy(*end, text, length);
    *end += length;
    **end = '\0';
}

static void append_escape(char **end, uint32_t character) {
    char escape[16];
    switch (character) {
    case '\n':
        strcpy(escape, "\\n");
        break;
    case '\r':
        strcpy(escape, "\\r");
        break;
    case '\t':
        strcpy(escape, "\\t");
        break;
    default:
        snprintf(escape, sizeof(escape), character < 0x100 ? "\\x%02x" : "\\u%04x", character);
        break;
    }
    append(end, escape, strlen(escape));
}

char *text_visible(const char *text) {
    enum { LONGEST_ESCAPE_PER_BYTE = 4 }; /* \x1b; \u202e stands for three bytes */
    char *visible = memory_allocate(strlen(text) * LONGEST_ESCAPE_PER_BYTE + 1);
    char *end = visible;
    *end = '\0';
    while (*text != '\0') {
        uint32_t character = 0;
        size_t length = decode(text, &character);
        if (character == NOT_UTF8) {
            append_escape(&end, (unsigned char)*text);
        } else if (is_hidden(character)) {
            append_escape(&end, character);
        } else {
            append(&end, text, length);
        }
        text += length;
    }
    return visible;
}

char *text_valid(const char *text) {
    static const char replacement[] = "\xEF\xBF\xBD";
    char *valid = memory_allocate(strlen(text) * (sizeof(replacement) - 1) + 1);
    char *end = valid;
    *end = '\0';
    while (*text != '\0') {
        uint32_t character = 0;
        size_t length = decode(text, &character);
        bool known = character != NOT_UTF8;
        append(&end, known ? text : replacement, known ? length : sizeof(replacement) - 1);
        text += length;
    }
    return valid;
}

void text_print_wrapped(FILE *out, const char *text, size_t margin, size_t width) {
    size_t used = margin;
    while (*text != '\0') {
        size_t end = strcspn(text, " ");
        char *word = memory_duplicate(text, end + 1);
        word[end] = '\0';
        size_t needed = text_width(word);
        if (used > margin && used + 1 + needed > width) {
            fprintf(out, "\n%*s", (int)margin, "");
            used = margin;
        } else if (used > margin) {
            fputc(' ', out);
            used++;
        }
        fputs(word, out);
        free(word);
        used += needed;
        text += end + (text[end] == ' ');
    }
    fputc('\n', out);
}

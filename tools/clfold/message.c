#include "message.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void make_one_line(char *text)
{
    size_t length = strlen(text);

    /* A compiler's log ends in line ends. */
    while (length > 0 && (text[length - 1] == '\n' || text[length - 1] == ' ')) {
        text[--length] = '\0';
    }
    for (char *c = text; *c; c++) {
        if (*c == '\n' || *c == '\t' || *c == '\r') {
            *c = ' ';
        } else if ((unsigned char)*c < 0x20 || *c == 0x7f) {
            *c = '?';
        }
    }
}

static void print(struct message *message, const char *format, va_list arguments)
{
    if (vsnprintf(message->text, sizeof(message->text), format, arguments) < 0) {
        strcpy(message->text, "an error whose text cannot be printed");
    }
    make_one_line(message->text);
    message->hint[0] = '\0';
}

bool message_set(struct message *message, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    print(message, format, arguments);
    va_end(arguments);
    return false;
}

bool message_hint(struct message *message, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(message->hint, sizeof(message->hint), format, arguments);
    va_end(arguments);
    make_one_line(message->hint);
    return false;
}

static bool is_silenced;

void message_silence(void)
{
    is_silenced = true;
}

bool message_is_silenced(void)
{
    return is_silenced;
}

void message_warn(const char *format, ...)
{
    struct message message;
    va_list arguments;

    if (!is_silenced) {
        va_start(arguments, format);
        print(&message, format, arguments);
        va_end(arguments);
        fprintf(stderr, "clfold: warning: %s\n", message.text);
    }
}

bool message_prefix(struct message *message, const char *name)
{
    const struct message old = *message;

    /* A very long name must not push the sentence itself out. */
    message_set(message, "%.4096s: %.4000s", name, old.text);
    memcpy(message->hint, old.hint, sizeof(old.hint));
    return false;
}

/* The grammar of a nest's text. nest_reader.h has what its actions call. */
%code requires {
#include "nest_reader.h"
}

%code {
#include <stdio.h>
#include <string.h>

/* A thing is where its first word is. */
#define YYLLOC_DEFAULT(place, places, num) ((place) = YYRHSLOC(places, (num) > 0))

int nest_yylex(NEST_YYSTYPE *value, struct nest_place *place, void *scanner);

static void nest_yyerror(const struct nest_place *place, void *scanner,
                         struct reader *reader, const char *text)
{
    (void)scanner;
    (void)text;
    nest_refuse(reader->error, place->line, place->column,
                "brackets and blocks are too deep");
}

/* Ends the reading where what is built at a place is refused. */
#define NEED(place, done)                                                                \
    reader->here = (place);                                                              \
    if (!(done)) {                                                                       \
        YYABORT;                                                                         \
    }
#define NODE(place, out, ...)                                                            \
    NEED(place, ((out) = nest_add_node(reader, __VA_ARGS__)) != NEST_NONE)
#define STEP(place, out, ...)                                                            \
    NEED(place, ((out) = nest_add_step(reader, (struct nest_step){ __VA_ARGS__ })) !=    \
                    NEST_NONE)
}

%define api.pure full
%define api.prefix {nest_yy}
%define api.location.type {struct nest_place}
%define parse.error custom
%define parse.lac full
%locations
%param { void *scanner }
%parse-param { struct reader *reader }

%union {
    char name[NEST_NAME];
    int64_t number;
    int kind, node;
    struct node_list list;
    struct step_list steps;
}

%token WORD_PARAM "param" WORD_KERNEL "kernel" WORD_LAUNCH "launch" WORD_GROUPS "groups"
%token WORD_SIZE "size" WORD_AGAIN "again" WORD_WHILE "while" WORD_ARRAY "array"
%token WORD_GLOBAL "global" WORD_LOCAL "local" WORD_OFFSET "offset" WORD_FOLD "fold"
%token WORD_TRANSFER "transfer" WORD_LOAD "load" WORD_STORE "store" WORD_WIDE "wide"
%token WORD_OP "op" WORD_BARRIER "barrier" WORD_LET "let" WORD_IF "if" WORD_ELSE "else"
%token WORD_STEP "step" WORD_LOG2 "log2" WORD_CEIL "ceil" WORD_MIN "min" WORD_MAX "max"
%token DOTS ".." OR "||" AND "&&" EQUAL "=="
%token DIFFERS "!=" LESS_EQUAL "<=" MORE_EQUAL ">=" SHIFT_LEFT "<<" SHIFT_RIGHT ">>"
%token <kind> WORD_FOR "for" WORD_FACT "a fact"
%token <name> NAME "a name"
%token <number> NUMBER "a number"
%token YYEOF 0 "the end of the text"

%type <node> expression constant by access simple step block
%type <list> list sizes
%type <steps> steps otherwise
%type <number> wide offset number
%type <kind> call space class begin times
%type <name> name operator

%precedence ALONE
%precedence "if" "a fact"
%left "||"
%left "&&"
%left "==" "!=" '<' '>' "<=" ">="
%left "<<" ">>"
%left '+' '-'
%left '*' '/' '%'
%precedence SIGN
%right '^'

%%

text: parts { NEED(reader->at, nest_end_kernel(reader)); } ;

parts: %empty | parts part ;

part: "param" params
    | "array" NAME NAME '[' sizes ']' space offset
      { NEED(@2, nest_add_array(reader, $2, $3, &$5, $7, $8)); }
    | "transfer" NAME NAME times { NEED(@2, nest_add_transfer(reader, $2, $3, $4)); }
    | "kernel" NAME { NEED(@1, nest_begin_kernel(reader, $2)); }
    | "launch" "groups" '=' sizes "size" '=' sizes
      { NEED(@1, nest_set_launch(reader, &$4, &$7)); }
      again
    | WORD_FACT constant { NEED(@1, nest_set_fact(reader, $1, $2)); }
    | "fold" operator NAME constant { NEED(@1, nest_set_fold(reader, $2, $3, $4)); }
    | step { NEED(@1, nest_append(reader, $1)); }
    ;

params: param | params param ;
param: NAME '=' constant { NEED(@1, nest_add_param(reader, $1, $3)); } ;

again: %empty
     | "again" NAME '=' constant "while" constant
       { NEED(@2, nest_set_again(reader, $2, $4, $6)); }
     ;

times: %empty %prec ALONE { $$ = NEST_NONE; }
     | WORD_FACT constant { $$ = $2; NEED(@1, nest_is_times(reader, $1)); }
     ;

space: "global" { $$ = 0; } | "local" { $$ = 1; } ;
offset: %empty { $$ = 0; } | "offset" NUMBER { $$ = $2; } ;
wide: %empty { $$ = 1; } | "wide" NUMBER { $$ = $2; } ;
number: %empty { $$ = 1; } | NUMBER ;
class: %empty { $$ = OP_SIMPLE; }
     | NAME { NEED(@1, ($$ = nest_find_class(reader, $1)) != NEST_NONE); }
     ;

simple: "load" access { $$ = $2; nest_set_kind(reader, @1, $2, STEP_LOAD); }
      | "store" access { $$ = $2; nest_set_kind(reader, @1, $2, STEP_STORE); }
      | "op" class number
        { STEP(@1, $$, .kind = STEP_OP, .op = (enum op_class)$2, .times = $3); }
      ;

access: NAME '[' list ']' wide
        { NEED(@1, ($$ = nest_add_access(reader, $1, &$3, $5)) != NEST_NONE); }
      ;

step: simple %prec ALONE
    | simple "if" expression
      { STEP(@1, $$, .kind = STEP_IF, .value = $3, .body = $1, .other = NEST_NONE); }
    | simple "if" expression block otherwise
      {
          STEP(@2, $$, .kind = STEP_IF, .value = $3, .body = $4, .other = $5.first);
          reader->nest->steps[$1].next = $$;
          $$ = $1;
      }
    | "if" expression block otherwise
      { STEP(@1, $$, .kind = STEP_IF, .value = $2, .body = $3, .other = $4.first); }
    | "barrier" { STEP(@1, $$, .kind = STEP_BARRIER); }
    | "let" NAME '=' expression
      {
          STEP(@1, $$, .kind = STEP_LET, .value = $4);
          NEED(@2, nest_add_let(reader, $2, $$));
      }
    | "for" NAME '=' expression ".." expression by
      {
          STEP(@1, $<node>$, .kind = STEP_FOR, .from = $4, .to = $6, .by = $7,
               .is_unrolled = $1 == 1);
          NEED(@2, nest_begin_for(reader, $2, $<node>$));
      }
      block
      {
          $$ = $<node>8;
          reader->nest->steps[$$].body = $9;
          reader->nest->names[reader->nest->steps[$$].slot - SLOTS_GIVEN].is_open = false;
      }
    ;

by: %empty { $$ = NEST_NONE; } | "step" expression { $$ = $2; } ;
otherwise: %empty { $$.first = NEST_NONE; } | "else" block { $$.first = $2; } ;
block: '{' begin steps '}' { nest_end_block(reader, $2); $$ = $3.first; } ;
begin: %empty { $$ = reader->nest->num_names; NEED(@0, nest_begin_block(reader)); } ;

steps: %empty { $$.first = $$.last = NEST_NONE; }
     | steps step { $$ = nest_join(reader, $1, $2); }
     ;

list: expression { $$.nodes[0] = $1; $$.num = 1; }
    | list ',' expression { $$ = $1; NEED(@3, nest_extend(reader, &$$, $3)); }
    ;

sizes: constant { $$.nodes[0] = $1; $$.num = 1; }
     | sizes ',' constant { $$ = $1; NEED(@3, nest_extend(reader, &$$, $3)); }
     ;

constant: expression { $$ = $1; NEED(@1, nest_is_constant(reader, $1)); } ;

expression: NUMBER { NODE(@1, $$, NODE_NUMBER, NEST_NONE, NEST_NONE, $1); }
    | name { NEED(@1, ($$ = nest_add_name_node(reader, $1)) != NEST_NONE); }
    | '(' expression ')' { $$ = $2; }
    | '-' expression %prec SIGN
      {
          NODE(@1, $$, NODE_NUMBER, NEST_NONE, NEST_NONE, 0);
          NODE(@1, $$, NODE_SUBTRACT, $$, $2, 0);
      }
    | '!' expression %prec SIGN { NODE(@1, $$, NODE_NOT, $2, NEST_NONE, 0); }
    | "log2" '(' expression ')' { NODE(@1, $$, NODE_LOG2, $3, NEST_NONE, 0); }
    | call '(' expression ',' expression ')'
      { NODE(@1, $$, (enum node_kind)$1, $3, $5, 0); }
    | expression '^' expression { NODE(@2, $$, NODE_POWER, $1, $3, 0); }
    | expression '*' expression { NODE(@2, $$, NODE_MULTIPLY, $1, $3, 0); }
    | expression '/' expression { NODE(@2, $$, NODE_DIVIDE, $1, $3, 0); }
    | expression '%' expression { NODE(@2, $$, NODE_MODULO, $1, $3, 0); }
    | expression '+' expression { NODE(@2, $$, NODE_ADD, $1, $3, 0); }
    | expression '-' expression { NODE(@2, $$, NODE_SUBTRACT, $1, $3, 0); }
    | expression "<<" expression { NODE(@2, $$, NODE_SHIFT_LEFT, $1, $3, 0); }
    | expression ">>" expression { NODE(@2, $$, NODE_SHIFT_RIGHT, $1, $3, 0); }
    | expression '<' expression { NODE(@2, $$, NODE_LESS, $1, $3, 0); }
    | expression '>' expression { NODE(@2, $$, NODE_LESS, $3, $1, 0); }
    | expression "<=" expression { NODE(@2, $$, NODE_LESS_EQUAL, $1, $3, 0); }
    | expression ">=" expression { NODE(@2, $$, NODE_LESS_EQUAL, $3, $1, 0); }
    | expression "==" expression { NODE(@2, $$, NODE_EQUAL, $1, $3, 0); }
    | expression "!=" expression { NODE(@2, $$, NODE_DIFFERS, $1, $3, 0); }
    | expression "&&" expression { NODE(@2, $$, NODE_AND, $1, $3, 0); }
    | expression "||" expression { NODE(@2, $$, NODE_OR, $1, $3, 0); }
    ;

call: "min" { $$ = NODE_MIN; } | "max" { $$ = NODE_MAX; } | "ceil" { $$ = NODE_CEIL; } ;
operator: NAME | "min" { strcpy($$, "min"); } | "max" { strcpy($$, "max"); } ;
name: NAME | "groups" { strcpy($$, "groups"); } | "size" { strcpy($$, "size"); } ;

%%

/* "a, b or c is expected, not d", or what is not, if too much is. */
static int yyreport_syntax_error(const yypcontext_t *context, void *scanner,
                                 struct reader *reader)
{
    enum { FEW = 4 };
    const bool is_end = yypcontext_token(context) == YYSYMBOL_YYEOF;
    const struct nest_place *const place = yypcontext_location(context);
    yysymbol_kind_t expected[FEW];
    const int num = yypcontext_expected_tokens(context, expected, FEW);
    char words[100] = "";

    (void)scanner;
    for (int i = 0; i < num; i++) {
        const size_t length = strlen(words);
        snprintf(words + length, sizeof(words) - length, "%s%s",
                 i == 0         ? ""
                 : i == num - 1 ? " or "
                                : ", ",
                 yysymbol_name(expected[i]));
    }
    nest_refuse(reader->error, place->line, place->column,
                num > 0 ? "%s is expected, not %.*s" : "%s%.*s is not expected here",
                words, is_end ? 19 : reader->word_length < 40 ? reader->word_length : 40,
                is_end ? "the end of the text" : reader->word);
    return 0;
}

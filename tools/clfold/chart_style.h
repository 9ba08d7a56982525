/* How every chart looks, as commands of gnuplot, one a line. tools/compare_chart.py reads
 * this file too. The colours are Okabe and Ito's, two of them darker, which colour-blind
 * readers can tell apart; the points tell lines apart in grey print. */
#ifndef CLFOLD_COMMAND_CHART_STYLE_H
#define CLFOLD_COMMAND_CHART_STYLE_H

static const char chart_style[] =
    "set encoding utf8\n"
    "set linetype 1 linecolor '#d55e00' pointtype 5 linewidth 1.8 pointsize 0.7\n"
    "set linetype 2 linecolor '#0072b2' pointtype 7 linewidth 1.8 pointsize 0.7\n"
    "set linetype 3 linecolor '#009e73' pointtype 9 linewidth 1.8 pointsize 0.7\n"
    "set linetype 4 linecolor '#bf5f95' pointtype 4 linewidth 1.8 pointsize 0.7\n"
    "set linetype 5 linecolor '#56b4e9' pointtype 6 linewidth 1.8 pointsize 0.7\n"
    "set linetype 6 linecolor '#d08a00' pointtype 8 linewidth 1.8 pointsize 0.7\n"
    "set linetype 7 linecolor '#5b3a8c' pointtype 13 linewidth 1.8 pointsize 0.7\n"
    "set linetype 8 linecolor '#7a4b2a' pointtype 12 linewidth 1.8 pointsize 0.7\n"
    "set linetype cycle 8\n"
    "set style line 20 linecolor '#222222' linewidth 2 dashtype 2\n" /* the roofline */
    "set border 3 linecolor '#444444'\n"
    "set tics nomirror out textcolor rgb '#444444'\n"
    "set grid xtics ytics mytics linetype 1 linewidth 0.5 linecolor '#cccccc', "
    "linetype 1 linewidth 0.25 linecolor '#e4e4e4'\n"
    "set key noautotitle\n";

#endif

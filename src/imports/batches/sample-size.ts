/** Videos of a dry run whose files are tried. */
export const SAMPLE_SIZE = 50;

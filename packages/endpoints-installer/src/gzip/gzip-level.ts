/** Upstream's level of compression, which favours speed. */
export const GZIP_LEVEL = 1;

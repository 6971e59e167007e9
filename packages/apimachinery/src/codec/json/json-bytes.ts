// The bytes that structure JSON text. A few hot loops have constants of their own: V8 does not fold an imported
// constant into a loop. The bundle of the binary folds all of them.

/** The byte `"`. */
export const QUOTE = 0x22;
/** The byte `\`. */
export const BACKSLASH = 0x5c;
/** The byte `,`. */
export const COMMA = 0x2c;
/** The byte `:`. */
export const COLON = 0x3a;
/** The byte `{`. */
export const OPEN_BRACE = 0x7b;
/** The byte `}`. */
export const CLOSE_BRACE = 0x7d;
/** The byte `[`. */
export const OPEN_BRACKET = 0x5b;
/** The byte `]`. */
export const CLOSE_BRACKET = 0x5d;

/** The version of this library, as the started record names it. */
export const VERSION = "0.1.0";

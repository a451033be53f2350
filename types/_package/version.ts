/** The version of this library, as started records and the command line name it. */
export const VERSION = "0.1.0";

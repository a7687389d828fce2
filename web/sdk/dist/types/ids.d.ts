/** Random identifiers. */
/** 32 hexadecimal digits that nobody can guess; also where `crypto.randomUUID` is missing (plain HTTP). */
export declare function randomId(): string;

import type { ErrorCode } from 'yaml'

const quoteStar = 'a value that begins with `*`, such as a cron expression, needs quotes'

/** An alias without its anchor: nearly always a cron expression without quotes. */
export const badAlias = `an alias leads nowhere; ${quoteStar}`

const sentences: Readonly<Partial<Record<ErrorCode, string>>> = {
  BAD_ALIAS: badAlias,
  BAD_INDENT: 'the indentation does not fit; every key of a map must begin in the same column',
  BAD_SCALAR_START: 'a value that begins with `@`, `%` or a back-quote needs quotes',
  BLOCK_AS_IMPLICIT_KEY: 'a nested map cannot begin on this line; a value that contains `: ` needs quotes',
  BAD_DQ_ESCAPE: 'a text in double quotes holds an unknown escape; double its back-slashes or use single quotes',
  MISSING_CHAR: 'a quote, bracket, comma or colon is missing, or a space behind one',
  MULTIPLE_DOCS: 'a second document begins here; want one document a file',
  MULTILINE_IMPLICIT_KEY: 'a key must stand on one line, with a colon behind it',
  TAB_AS_INDENT: 'a tab indents this line; indent with spaces',
  UNEXPECTED_TOKEN: `this cannot stand here; ${quoteStar}`,
  TAG_RESOLVE_FAILED: 'a tag that begins with `!` is not known here; remove it, or quote the value',
}

/** What is wrong with the text, without quoting it: the library's own messages show source lines, secrets included. */
export function yamlProblem(code: ErrorCode): string {
  return sentences[code] ?? `this is not valid YAML (${code.toLowerCase().replaceAll('_', ' ')})`
}

const quotedOrComment = /'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g

const timeWords =
  /\b(?:current_date|current_time|current_timestamp|date|datetime|julianday|now|strftime|time|timediff|unixepoch)\b/i

const known: ReadonlySet<string> = new Set([':now', ':tenant'])

/** What is wrong with a query that can be told from its text; null when nothing is. */
export function problemOfQuery(query: string): string | null {
  if (query.includes('\0')) return 'the query holds a NUL character'
  const bare = query.replace(quotedOrComment, (part) => (part.startsWith('--') || part.startsWith('/*') ? ' ' : "''"))
  if (bare.replaceAll(';', '').trim() === '') return 'there is no query below the header'
  if (/;\s*[^\s;]/.test(bare)) return 'there is more than one statement; want one SELECT'
  const parameters = bare.match(/(?<![\w$])[:@$#]\w+|\?\d*/g) ?? []
  const strange = parameters.find((parameter) => !known.has(parameter))
  return strange === undefined ? null : `the query has the parameter ${strange}; there are :now and :tenant`
}

/**
 * True when a query may say another thing at another time of the same records: it names the time, or anything that may
 * read the clock, be it in a text or a comment. Rather once too often: a check that is taken for one that only new
 * records change would stay green when its time has come.
 */
export function readsTheTime(query: string): boolean {
  return timeWords.test(query)
}

import { or, type SQL, sql } from 'drizzle-orm'
import type { Dialect } from '../db/db.ts'
import { findings } from '../schema/index.ts'

type SearchWords = Pick<Dialect, 'forLike' | 'pattern'>

/** ASCII and letters without case. */
const comparable = /^[\x20-\x7e\p{Lo}]*$/u

/** `İ` becomes `i` and a dot in lower case; patterns cannot contain control characters or unpaired surrogates. */
const unsearchable = /i?\u0307|[\p{Cc}\p{Cs}]/u

const columns = [findings.message, findings.entityId, findings.entityType, findings.check, findings.fingerprint]

/** The longest part of a text that a database can search for, in lower case; empty = none. */
export function searchablePart(text: string): string {
  return longest(text.toLowerCase().split(unsearchable))
}

/**
 * Condition for findings that may contain the part, in any letter case.
 *
 * @param personal SQL text of personal fields to search, too; null = none.
 */
export function mayHave(part: string, words: SearchWords, personal: string | null): SQL | undefined {
  // Outputs join first and last name with one space, whatever white space they contain.
  const word = longest(part.split(' '))
  return or(
    ...columns.map((column) => has(`"${column.name}"`, part, words)),
    personal === null ? undefined : has(personal, word, words),
  )
}

function has(column: string, part: string, { forLike, pattern }: SearchWords): SQL | undefined {
  if (comparable.test(part)) {
    const escaped = part.replace(/[%_\\]/g, '\\$&')
    return sql`${sql.raw(forLike(column))} like ${`%${escaped}%`} escape '\\'`
  }
  const patterns = pattern.of([...part].map(cases))
  return or(...patterns.map((one) => sql`${sql.raw(column)} ${sql.raw(pattern.operator)} ${one}`))
}

/** The characters whose lower case is the given one; none = any character. */
function cases(letter: string): readonly string[] {
  const upper = letter.toUpperCase()
  if (upper === letter) return [letter]
  return [...upper].length === 1 && upper.toLowerCase() === letter ? [letter, upper] : []
}

function longest(parts: readonly string[]): string {
  return parts.reduce((known, part) => (part.length > known.length ? part : known), '')
}

export interface Translated {
  readonly text: string
  /** For `$1` and so on: index of a positional parameter, or member of the object after them. */
  readonly slots: readonly (number | string)[]
}

/** A string, quoted name or comment, which stays unchanged, or a placeholder. */
const token = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\?|@([A-Za-z_]\w*)/g

/** Replaces `?` and `@name` with `$1`, `$2` and so on; a name always has the same number. */
export function translate(text: string): Translated {
  const slots: (number | string)[] = []
  let positional = 0
  const translated = text.replace(token, (found: string, name?: string) => {
    if (name !== undefined) {
      const known = slots.indexOf(name)
      return `$${known < 0 ? slots.push(name) : known + 1}`
    }
    return found === '?' ? `$${slots.push(positional++)}` : found
  })
  return { text: translated, slots }
}

export interface Translated {
  readonly text: string
  /** Of `$1` and those after it: the place among the positional parameters, or a member of the object after them. */
  readonly slots: readonly (number | string)[]
}

/** String, quoted name or comment, whose content is left alone; else a placeholder. */
const token = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\?|@([A-Za-z_]\w*)/g

/** `?` and `@name` become `$1`, `$2` and so on; a name has one number wherever it occurs. */
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

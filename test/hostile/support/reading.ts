/** Characters that must never reach a terminal, a log or a page: control, format, direction and separator characters. */
export const acting = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u

/** As `acting`, but for the line feed, which the program itself ends its lines with. */
const actingInLines = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u

/** The first control character in a text, with its context; for a clearer message than "false". */
export function actingIn(text: string): string | null {
  const found = actingInLines.exec(text)
  return found === null ? null : JSON.stringify(text.slice(Math.max(0, found.index - 60), found.index + 20))
}

/** A cell that a spreadsheet may take for a formula, also behind what it skips at the beginning. */
export const formula = /^(?:[\s\p{Cc}\p{Cf}\p{Z}]*[=+\-@\uff1d\uff0b\uff0d\uff20]|[\t\r])/u

export interface Tag {
  readonly name: string
  readonly attributes: readonly string[]
}

/**
 * The tags of a page with the names of their attributes, as a browser would find them; throws on what only a browser's
 * mercy would make sense of.
 */
export function tagsOf(page: string): readonly Tag[] {
  const tags: Tag[] = []
  let rest = page
  for (;;) {
    const at = rest.indexOf('<')
    if (at < 0) return tags
    rest = rest.slice(at)
    const tag = /^<(!doctype html|\/?[a-z][a-z0-9]*)((?:\s+[a-z-]+(?:="[^"<>]*")?)*)\s*\/?>/i.exec(rest)
    if (tag === null) throw new Error(`No tag of ours: ${rest.slice(0, 120)}`)
    const [whole, name = '', attributes = ''] = tag
    tags.push({
      name: name.toLowerCase(),
      attributes: attributes
        .replaceAll(/="[^"]*"/g, '')
        .toLowerCase()
        .split(/\s+/)
        .filter(Boolean),
    })
    rest = rest.slice(whole.length)
  }
}

/** Every tag with its attributes once, as one text each. */
export function vocabulary(page: string): readonly string[] {
  return [...new Set(tagsOf(page).map(({ name, attributes }) => [name, ...attributes].join(' ')))].sort()
}

/** The text a browser shows, character references resolved. */
export function shownText(page: string): string {
  const names: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' }
  return page
    .replace(/<[^>]*>/g, '\n')
    .replace(/&(?:#(\d+)|(\w+));/g, (whole, code?: string, name?: string) =>
      code === undefined ? (names[name ?? ''] ?? whole) : String.fromCodePoint(Number(code)),
    )
}

/** A line of Markdown without escaped characters and code spans, as CommonMark reads them; throws on a span without end. */
export function bareMarkdown(line: string): string {
  let bare = ''
  let rest = line
  while (rest !== '') {
    const [plain = ''] = /^[^\\`]*/.exec(rest) ?? []
    bare += plain
    rest = rest.slice(plain.length)
    const [taken] = /^\\[!-/:-@[-`{-~]/.exec(rest) ?? /^(`+)(?!`).*?(?<!`)\1(?!`)/.exec(rest) ?? []
    if (rest !== '' && taken === undefined) throw new Error(`No escape and no code span: ${rest.slice(0, 120)}`)
    rest = rest.slice(taken?.length ?? 0)
  }
  return bare
}

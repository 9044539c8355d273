/** The words of a page, without tags. */
export function textOf(html: string): string {
  return html
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ([,;.])/g, '$1')
}

/** What a reader sees before opening anything: of closed details only the summary. */
export function unopened(html: string): string {
  const tokens = html.split(/(<\/?details[^>]*>|<\/?summary>)/)
  const inside: ('open' | 'closed' | 'summary')[] = []
  let shown = ''
  for (const token of tokens) {
    if (token.startsWith('<details')) inside.push(token.includes(' open=') ? 'open' : 'closed')
    else if (token === '<summary>') inside.push('summary')
    else if (token.startsWith('</')) inside.pop()
    else if (!(inside.at(-1) === 'summary' ? inside.slice(0, -2) : inside).includes('closed')) shown += token
  }
  return textOf(shown)
}

/** Commands that can be copied. */
export function commandsIn(html: string): readonly string[] {
  return [...html.matchAll(/<code class="command">(.*?)<\/code>/g)].map(([, words = '']) =>
    words.replaceAll(/<[^>]*>/g, ''),
  )
}

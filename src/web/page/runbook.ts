import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { html, raw } from 'hono/html'
import { packageFile } from '../../model/process/package-file.ts'
import { otherPage } from './page.ts'
import { runbookHref } from './page-query.ts'

/** The pages whose sections are the runbooks: of alerts by their name, of checks by the alerts that an entry lists. */
const pages = [join('docs', 'alerts.md'), join('docs', 'checks.md')]

/** The section of the page of checks that is about each of them. */
const forEachCheck = '## When a check fails\n'

/** The address in the pages, which assume the default configuration. */
const defaultOrigin = 'http://127.0.0.1:9469'

/** The installed runbook of an alert as a page; null if there is none. Its commands use the given origin. */
export async function runbookPage(alert: string, origin = defaultOrigin): Promise<string | null> {
  const text = /^Tenantwatch[A-Za-z]+$/.test(alert) ? await runbookOf(alert) : null
  if (text === null) return null
  const { Marked } = await import('marked')
  const marked = new Marked({
    renderer: {
      /** Only runbooks are served; other links become plain words. */
      link({ href, tokens }) {
        const words = this.parser.parseInline(tokens)
        return href.includes('#tenantwatch') ? `<a href="${runbookHref(plainText(tokens))}">${words}</a>` : words
      },
    },
  })
  const body = await marked.parse(text.replaceAll(defaultOrigin, origin))
  return otherPage(alert, html`<article class="runbook">${raw(body)}</article>`)
}

/** The section of the alert, with its name as the title; that of a check with what to do about any of them. */
async function runbookOf(alert: string): Promise<string | null> {
  for (const page of pages) {
    const path = packageFile(page)
    if (path === null) continue
    const sections = (await readFile(path, 'utf8')).split(/^(?=## )/m)
    const own = sections.find((text) => text.startsWith(`## ${alert}\n`))
    if (own !== undefined) return own.slice(1)
    const ofCheck = sections.find((text) => text.includes(`\`${alert}\``))
    if (ofCheck === undefined) continue
    const general = sections.find((text) => text.startsWith(forEachCheck)) ?? ''
    const id = ofCheck.slice(3, ofCheck.indexOf('\n'))
    return `# ${alert}\n\n${ofCheck}\n${general.replaceAll('--check CHECK', `--check ${id}`)}`
  }
  return null
}

/** A link to another alert has its name as its words. */
function plainText(tokens: readonly { readonly raw: string }[]): string {
  return tokens.map(({ raw: words }) => words).join('')
}

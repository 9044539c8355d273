import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { html, raw } from 'hono/html'
import { packageFolder } from '../../model/process/package-folder.ts'
import { otherPage } from './page.ts'
import { runbookHref } from './page-query.ts'

const folder = join('docs', 'runbooks')
const name = /^Tenantwatch[A-Za-z]+$/

/** The address in the runbook files, which assume the default configuration. */
const defaultOrigin = 'http://127.0.0.1:9469'

/** A link in parentheses to another page of the documentation, which is removed with its words. */
const unservedReference = /\s\(\[[^\]]*\]\((?!Tenantwatch)[^)]*\)\)/g

/** The installed runbook of an alert as a page; null if there is none. Its commands use the given origin. */
export async function runbookPage(runbook: string, origin = defaultOrigin): Promise<string | null> {
  const file = join(folder, `${runbook}.md`)
  const found = name.test(runbook) ? packageFolder(file) : null
  if (found === null) return null
  const [text, { Marked }] = await Promise.all([readFile(join(found, file), 'utf8'), import('marked')])
  const marked = new Marked({
    renderer: {
      /** Only runbooks are served; other links become plain words. */
      link({ href, tokens }) {
        const [, other] = /^(\w+)\.md$/.exec(href) ?? []
        const words = this.parser.parseInline(tokens)
        return other !== undefined && name.test(other) ? `<a href="${runbookHref(other)}">${words}</a>` : words
      },
    },
  })
  return otherPage(
    runbook,
    html`<article class="runbook">${raw(await marked.parse(remedyFirst(text).replaceAll(unservedReference, '').replaceAll(defaultOrigin, origin)))}</article>`,
  )
}

/** The files have the order of alert runbooks; who is called at night wants the remedy before the diagnosis. */
function remedyFirst(text: string): string {
  return text.replace(/(^## Diagnosis\n[\s\S]*?)(^## Mitigation\n[\s\S]*?)(?=^## |(?![\s\S]))/m, '$2$1')
}

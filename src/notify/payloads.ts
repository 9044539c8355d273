import { createHmac } from 'node:crypto'
import { toIso } from '../model/time.ts'
import { bySeverity, lastLineOf, lineOf, type Message } from './message.ts'

/** The body of a Slack incoming webhook. */
export function slackBody(message: Message): string {
  const { title, items, url } = message
  const section = (text: string) => ({ type: 'section', text: { type: 'mrkdwn', text, verbatim: true } })
  const link = (text: string, to: string | null) => (to === null ? text : `${text} <${to}|Open>`)
  return JSON.stringify({
    text: escaped(title),
    blocks: [
      section(link(`*${escaped(title)}*`, url)),
      ...bySeverity(items).map((item) => section(link(`• ${escaped(lineOf(item))}`, item.url))),
      { type: 'context', elements: [{ type: 'plain_text', text: lastLineOf(message) }] },
    ],
  })
}

/** Names come from the tenant's API: without this they could mention a channel or disguise a link. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** The body of a Teams workflow: an Adaptive Card, with names in runs, which take no Markdown. */
export function teamsBody(message: Message): string {
  const { title, items, url } = message
  const run = (text: string, to: string | null = null, more: object = {}) => {
    const selectAction = to === null ? {} : { selectAction: { type: 'Action.OpenUrl', url: to } }
    return { type: 'RichTextBlock', inlines: [{ type: 'TextRun', text, ...selectAction, ...more }] }
  }
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [
      run(title, url, { weight: 'bolder' }),
      ...bySeverity(items).map((item) => run(lineOf(item), item.url)),
      run(lastLineOf(message), null, { isSubtle: true }),
    ],
  }
  const contentType = 'application/vnd.microsoft.card.adaptive'
  return JSON.stringify({ type: 'message', attachments: [{ contentType, contentUrl: null, content }] })
}

/** The body for programs (docs/notifications.md#webhook). */
export function webhookBody({ items, ...message }: Message): string {
  return JSON.stringify({ ...message, items: items.map((item) => ({ ...item, at: toIso(item.at) })) })
}

export const signatureHeader = 'x-tenantwatch-signature'

export function signatureOf(secret: string, body: string): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
}

/** Subject and plain text of an e-mail. */
export function emailText(message: Message): { readonly subject: string; readonly text: string } {
  const { title, items, url } = message
  const lines = bySeverity(items).map((item) => `- ${lineOf(item)}${item.url === null ? '' : `\n  ${item.url}`}`)
  const text = [title, '', ...lines, '', lastLineOf(message), url ?? ''].join('\n')
  return { subject: `[tenantwatch] ${title}`, text: `${text.trimEnd()}\n` }
}

import { createApp } from '../../../src/web/app.ts'
import type { WebOptions } from '../../../src/web/web-options.ts'

/** Answers of the routes to GET of a target on this machine. */
export async function ask(options: WebOptions, target: string) {
  const url = new URL(target, 'http://localhost')
  const answer = await createApp(options).request(url.href, { headers: { host: url.host } })
  return { status: answer.status, headers: Object.fromEntries(answer.headers), text: await answer.text() }
}

import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { createApp } from '../../../src/web/app.ts'
import { heavyLane } from '../../../src/web/heavy-lane.ts'
import type { WebOptions } from '../../../src/web/web-options.ts'

/** Answers of the routes to GET of a target on this machine. */
export async function ask(options: WebOptions, target: string) {
  const { pathname, searchParams, host } = new URL(target, 'http://localhost')
  const lane = heavyLane({ clock: options.clock, most: 1, makeRoom: () => false })
  const { status, headers, body } = await createApp(
    options,
    lane,
  )({
    method: 'GET',
    path: pathname,
    hosts: [host],
    query: Object.fromEntries(searchParams),
    repeated: null,
    header: (name) => (name === 'host' ? host : undefined),
  })
  return { status, headers, text: typeof body === 'string' ? body : await text(Readable.from(body)) }
}

import { z } from 'zod'
import type { Context } from './context.ts'
import { text } from './leaves.ts'
import { listen } from './listen.ts'
import { readSection } from './section.ts'
import type { Settings } from './settings.ts'

const shape = {
  listen: listen().optional(),
  webConfig: text('want the path of a web configuration file').nullish(),
  exposeDetails: z.union([z.boolean(), z.literal('auto')], { error: 'want auto, true or false' }).optional(),
}

const loopback = { host: '127.0.0.1', port: 9469 }

/** Reads `server`. */
export function readServer(raw: unknown, { report, exists }: Context): Settings['server'] {
  const { listen = loopback, webConfig = null, exposeDetails = 'auto' } = readSection(shape, raw, ['server'], report)
  if (webConfig !== null && !exists(webConfig)) {
    report.wrong(['server', 'webConfig'], webConfig, 'want a file that exists')
  }
  return { ...listen, webConfig, exposeDetails }
}

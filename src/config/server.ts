import { z } from 'zod'
import { listen } from './listen.ts'
import type { Settings } from './settings.ts'
import type { Context } from './yaml/context.ts'
import { text } from './yaml/leaves.ts'
import { readSection } from './yaml/section.ts'

const wantedHost = 'want a host name such as tenantwatch.example.com, without scheme and port'
const hostName = /^[a-z\d_~](?:[\w.~-]*[\w~])?\.?$/i

const fields = {
  listen: listen().optional(),
  webConfig: text('want the path of a web configuration file').nullish(),
  exposeDetails: z.union([z.boolean(), z.literal('auto')], { error: 'want auto, true or false' }).optional(),
  allowedHosts: z
    .array(
      text(wantedHost, hostName).transform((name) => name.toLowerCase().replace(/\.$/, '')),
      { error: 'want a list of host names such as [tenantwatch.example.com]' },
    )
    .optional(),
}

const loopback = { host: '127.0.0.1', port: 9469 }

/** Reads `server`. */
export function readServer(raw: unknown, { report, exists }: Context): Settings['server'] {
  const section = readSection(fields, raw, ['server'], report)
  const { listen = loopback, webConfig = null, exposeDetails = 'auto', allowedHosts = [] } = section
  if (webConfig !== null && !exists(webConfig)) {
    report.wrong(['server', 'webConfig'], webConfig, 'want a file that exists')
  }
  return { ...listen, webConfig, exposeDetails, allowedHosts }
}

import { z } from 'zod'
import type { AuthSettings } from '../settings.ts'
import type { Context } from '../yaml/context.ts'
import type { KeyPath } from '../yaml/key-path.ts'
import { isMap, readSection } from '../yaml/section.ts'
import { readOAuth2 } from './oauth2.ts'
import { checkOneSource, checkSecret, secretFields } from './secret.ts'

const wantedCommand = 'want a list of texts: a program and its arguments, such as [vault, read, -field=token, acme]'

const fields = {
  ...secretFields,
  command: z
    .array(z.string({ error: 'want a text' }), { error: wantedCommand })
    .min(1, { error: wantedCommand })
    .refine(([program]) => program !== '', { error: wantedCommand })
    .optional(),
  oauth2: z.unknown(),
}

/** Reads `auth.token`: exactly one source; undefined when there is none that can be used, which is then noted. */
export function readTokenSource(raw: unknown, path: KeyPath, context: Context): AuthSettings['token'] | undefined {
  if (!isMap(raw)) {
    const wanted = 'want one of { env: NAME }, { file: PATH }, { command: [PROGRAM, …] }, { oauth2: … }'
    const advice = typeof raw === 'string' ? `${wanted}; the token itself does not belong here` : wanted
    context.report.wrongKind(path, raw, advice)
    return undefined
  }
  const section = readSection(fields, raw, path, context.report)
  if (!checkOneSource(raw, Object.keys(fields), path, context)) return undefined
  checkSecret(section, path, context)
  const { env, file, command } = section
  if (env !== undefined) return { env }
  if (file !== undefined) return { file }
  if (command !== undefined) {
    // It is not told which: people write the token there.
    if (context.diagnosesSecrets && !context.isProgram(command[0] ?? ''))
      context.report.say([...path, 'command'], 'names a program that cannot be found, or not be run, as this user')
    return { command }
  }
  if (raw['oauth2'] === undefined) return undefined
  const oauth2 = readOAuth2(raw['oauth2'], [...path, 'oauth2'], context)
  return oauth2 === undefined ? undefined : { oauth2 }
}

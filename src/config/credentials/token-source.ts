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

/** Reads `auth.token`, exactly one source; undefined, with a reported problem, when there is no usable one. */
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
    // The message omits the program, because people write the token there.
    if (context.diagnosesSecrets && !context.isProgram(command[0] ?? ''))
      context.report.problem(
        [...path, 'command'],
        'names a program that does not exist or that this user cannot execute',
      )
    return { command }
  }
  if (raw['oauth2'] === undefined) return undefined
  const oauth2 = readOAuth2(raw['oauth2'], [...path, 'oauth2'], context)
  return oauth2 === undefined ? undefined : { oauth2 }
}

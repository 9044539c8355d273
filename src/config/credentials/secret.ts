import { mostSecretBytes } from '../../model/process/regular-file.ts'
import type { Context } from '../yaml/context.ts'
import type { KeyPath } from '../yaml/key-path.ts'
import { text } from '../yaml/leaves.ts'

/** Sources of a secret: a variable name or a file path. */
export const secretFields = {
  env: text(
    'want the name of an environment variable (letters, digits, underscores)',
    /^[A-Za-z_]\w{0,63}$/,
  ).optional(),
  file: text('want the path of a file').optional(),
}

/** Reports a missing variable or file if secrets are needed. */
export function checkSecret(section: { env?: string; file?: string }, path: KeyPath, context: Context): void {
  if (!context.needsSecrets) return
  const { env, file } = section
  if (env !== undefined && (context.env[env] ?? '').trim() === '') {
    const state = context.env[env] === undefined ? 'not set' : 'empty'
    context.report.problem([...path, 'env'], `names ${variable(env)}, which is ${state}`)
  }
  if (file === undefined) return
  const why = context.exists(file) ? context.whyUnfit(file, mostSecretBytes) : undefined
  if (why === null) {
    if (context.diagnosesSecrets) checkContent(file, [...path, 'file'], context)
    return
  }
  context.report.problem(
    [...path, 'file'],
    `names the file \`${file}\`${why === undefined ? ', which does not exist' : `: ${why}`}`,
  )
}

function checkContent(file: string, path: KeyPath, { report, read }: Context): void {
  try {
    if (read(file).trim() === '') report.problem(path, `names the file \`${file}\`, which is empty`)
  } catch {
    report.problem(path, `names the file \`${file}\`, which cannot be read`)
  }
}

/** Shows only plausible variable names, because people paste tokens here. */
function variable(name: string): string {
  const plausible = name.length < 20 || /^[A-Z][A-Z\d_]*$/.test(name)
  return plausible
    ? `the environment variable \`${name}\``
    : 'an environment variable (not shown, as it may be a token)'
}

/**
 * Reports a problem unless exactly one of `keys` is set.
 *
 * @returns true when exactly one is set.
 */
export function checkOneSource(
  raw: Readonly<Record<string, unknown>>,
  keys: readonly string[],
  path: KeyPath,
  { report }: Context,
): boolean {
  const named = keys.filter((key) => raw[key] !== undefined)
  if (named.length === 1) return true
  const found = named.length === 0 ? 'names no source' : `names ${named.length} sources (${named.join(', ')})`
  report.problem(path, `${found}; want exactly one of ${keys.join(', ')}`)
  return false
}

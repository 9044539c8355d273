import { checksOf } from '../checks/index.ts'
import { driftIdPattern } from '../evaluate/findings/identity.ts'
import { UsageError } from '../model/errors.ts'
import { type FindingView, findingStates } from '../model/finding.ts'
import { exitCodes, print } from '../model/process/io.ts'
import { escapeInJson, printable } from '../model/text/printable.ts'
import { type Explanation, explanationOf, explanationText } from '../report/explanation.ts'
import { terminalOf, wrapLine } from '../report/terminal.ts'
import { addCommand } from './command.ts'
import { type OpenMirror, openMirror } from './support/configuration.ts'
import { detailsOption, formatOption } from './support/options.ts'

export const addExplain = addCommand<{ readonly format: string; readonly details?: boolean }>({
  name: 'explain',
  argument: ['<fingerprint>', 'fingerprint of a finding, its prefix, or the id of a drifted state'],
  summary: 'explain a finding: rule, evidence, history',
  options: [formatOption(['text', 'json']), detailsOption()],
  help: `Works beside a running engine. Without --details, values that may name a person or
a file are [hidden], as are fields that the specification does not name.

Examples:
  tenantwatch explain e49418ad0f73 --details
  tenantwatch explain e49418ad0f73 --format json`,
  async run({ io, command, options, args: [given = ''] }) {
    await using opened = await openMirror(io, command)
    const explanation = await explain(opened, given, options.details === true)
    if (options.format === 'json') print(io, escapeInJson(JSON.stringify(explanation, null, 2)))
    else
      for (const line of explanationText(explanation))
        print(io, wrapLine(printable(line), terminalOf(io), indentOf(line)))
    return exitCodes.ok
  },
})

/** @throws UsageError when not exactly one finding has the fingerprint. */
export async function explain(opened: OpenMirror, given: string, details: boolean): Promise<Explanation> {
  if (checksOf(opened.settings).some(({ id }) => id === given))
    throw new UsageError('explain takes a fingerprint; "tenantwatch report" shows every check with its state')
  return explanationOf(opened, await findFinding(opened, given, details), details)
}

const minLength = 6

/**
 * The finding with a fingerprint, the beginning of one, or the id of a drifted state.
 *
 * @throws UsageError when there is not exactly one. It does not repeat the argument, which may be a secret.
 */
export async function findFinding(
  { mirror, views }: Pick<OpenMirror, 'mirror' | 'views'>,
  given: string,
  withPersonal = false,
): Promise<FindingView> {
  if (given.length < minLength) throw new UsageError(`Give at least ${minLength} characters of the fingerprint`)
  const [, prefix = given] = driftIdPattern.exec(given.toLowerCase()) ?? []
  const fingerprints = await mirror.fingerprintsFrom(prefix.toLowerCase(), 2)
  if (fingerprints.length > 1)
    throw new UsageError('Several findings match this prefix; give more characters of the fingerprint')
  for await (const finding of views.findings({ states: findingStates, fingerprints, withPersonal })) return finding
  throw new UsageError('No finding has this fingerprint; see "tenantwatch findings --all"')
}

/** Wrapped lines align below the text of the first one: labels such as `What to do` take 13 columns. */
function indentOf(line: string): number {
  if (/^(?:[A-Z].{11} | {13})\S/.test(line)) return 13
  return line.startsWith('    ') ? 6 : 4
}

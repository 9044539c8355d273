import type { Command } from 'commander'
import { UsageError } from '../model/errors.ts'
import { type ExitCode, exitCodes, type Io, print } from '../model/process/io.ts'
import { escapeInJson, printable } from '../model/text/printable.ts'
import { terminalOf, wrapLine } from '../report/terminal.ts'
import { type NamedVerification, verificationJson, verificationText } from '../report/verification.ts'
import { sharedChain } from '../store/port.ts'
import type { Done } from './list.ts'
import { openMirror } from './support/configuration.ts'
import { formatOption, oneOf, repeatable, tenantOption } from './support/options.ts'

interface VerifyOptions {
  readonly tenant?: string
  readonly head: readonly string[]
  readonly format: string
}

export function addVerify(program: Command, io: Io, done: Done): void {
  program
    .command('verify')
    .description('verify the stored history against its audit chain')
    .addOption(tenantOption())
    .addOption(repeatable('--head <hash>', 'hash of an earlier report that the chain must contain'))
    .addOption(formatOption(['text', 'json']))
    .addHelpText(
      'after',
      `
Works beside a running engine and only reads. Recomputes the digests of all events
and the hashes that chain them; compares findings and check results with their last
events. A program that can write to the database can also recompute the whole chain:
only a hash that was kept elsewhere, such as in an earlier report, shows that. Pass
it with --head.

Exit: 0 all agree; 2 usage or configuration; 3 an event, a state or a head differs.

Examples:
  tenantwatch verify
  tenantwatch verify --tenant acme --head HASH`,
    )
    .action(async (options: VerifyOptions, command: Command) => done(await verify(io, options, command)))
}

async function verify(io: Io, options: VerifyOptions, command: Command): Promise<ExitCode> {
  const heads = options.head.map(readHash)
  await using opened = await openMirror(io, command)
  const { mirror } = opened
  const tenants = await mirror.tenants()
  const only = oneOf(
    'tenant',
    tenants.map(({ name }) => name),
    options.tenant,
  )
  // The results of every tenant depend on the configuration.
  const configuration = { name: 'configuration of all tenants', ...(await mirror.verifyChain(sharedChain, heads)) }
  const verified: NamedVerification[] = []
  for (const { id, name } of tenants) {
    io.stop.throwIfAborted()
    if (only === undefined || name === only) verified.push({ name, ...(await mirror.verifyChain(id, heads)) })
  }
  const all = [configuration, ...verified]
  const unknownHeads = heads.filter((hash) => !all.some((one) => one.heads.some((found) => found.hash === hash)))
  const agrees = unknownHeads.length === 0 && all.every(({ mismatches }) => mismatches.length === 0)
  if (options.format === 'json') {
    const ofTenants = verified.map((one) => ({ tenant: one.name, ...verificationJson(one) }))
    const made = { configuration: verificationJson(configuration), tenants: ofTenants, unknownHeads }
    print(io, escapeInJson(JSON.stringify(made, null, 2)))
  } else {
    const terminal = terminalOf(io)
    for (const line of all.flatMap(verificationText)) print(io, wrapLine(printable(line), terminal))
    for (const hash of unknownHeads) print(io, wrapLine(unknownHead(hash, only), terminal))
    const isChained = all.every(({ events }) => events > 0)
    if (agrees) print(io, isChained ? 'No mismatch: every event agrees with its hash chain.' : withoutEvents)
  }
  return agrees ? exitCodes.ok : exitCodes.failed
}

const withoutEvents = 'No mismatch, but a chain without events proves nothing.'

function unknownHead(hash: string, only: string | undefined): string {
  const where = only === undefined ? 'the chain of any tenant' : `the chain of ${only}`
  return `MISMATCH: the head ${hash} is not in ${where}: the chain was cut off or recomputed since, the head is of another database, or this is another hash of the report, such as that of the configuration`
}

/** The UsageError does not repeat the given text, which may be a secret. */
function readHash(text: string): string {
  const hash = text.trim().toLowerCase()
  if (/^[0-9a-f]{64}$/.test(hash)) return hash
  throw new UsageError('Invalid value of --head: expected the 64 hexadecimal digits of a hash, as a report shows it')
}

import { parseArgs } from 'node:util'

export interface BenchOptions {
  /** Users of the big tenant. */
  readonly records: number
  /** Most tenants that are measured. */
  readonly tenants: number
  readonly rounds: number
  /** How long `fleet` and `spread` watch a daemon that has caught up. */
  readonly minutes: number
  /** Names of benchmarks; empty = all. */
  readonly only: readonly string[]
  readonly json: string | null
  /** Where CPU profiles of the product's full syncs go. */
  readonly profile: string | null
  /** Node's options for the product, as its launchers give them. */
  readonly flags: readonly string[]
  /** Folder for databases; they are deleted in the end. */
  readonly folder: string | null
}

const defaults = { records: 100_000, tenants: 100, rounds: 3, minutes: 11 }

/** As the image starts the product: a small young generation takes some 100 MB off the peak memory of a large full sync. */
export const launcherFlags = ['--max-semi-space-size=4']

export const help = `npm run bench -- [options]

  --records N      users of the big tenant (${defaults.records})
  --tenants N      most tenants in one daemon (${defaults.tenants})
  --rounds N       rounds of which medians are taken (${defaults.rounds})
  --minutes N      minutes for which fleet and spread watch the daemon at rest (${defaults.minutes})
  --only A,B       only these benchmarks
  --json FILE      writes everything as JSON
  --profile DIR    writes CPU profiles of the product's full syncs; read them with npm run bench:profile -- FILE
  --flags "…"      Node's options for the product (${launcherFlags.join(' ')})
  --folder DIR     where databases are made (the system's folder for temporary files)
`

/** @throws Error that names what is wrong. */
export function readOptions(args: readonly string[]): BenchOptions | 'help' {
  const text = { type: 'string' } as const
  const { values } = parseArgs({
    args: [...args],
    options: {
      records: text,
      tenants: text,
      rounds: text,
      minutes: text,
      only: text,
      json: text,
      profile: text,
      flags: text,
      folder: text,
      help: { type: 'boolean' },
    },
  })
  if (values.help === true) return 'help'
  return {
    records: count('records', values.records, 1000),
    tenants: count('tenants', values.tenants, 1),
    rounds: count('rounds', values.rounds, 1),
    minutes: count('minutes', values.minutes, 0),
    only: values.only?.split(',').filter((name) => name !== '') ?? [],
    json: values.json ?? null,
    profile: values.profile ?? null,
    flags: values.flags?.split(' ').filter((flag) => flag !== '') ?? launcherFlags,
    folder: values.folder ?? null,
  }
}

function count(name: keyof typeof defaults, text: string | undefined, least: number): number {
  const number = text === undefined ? defaults[name] : Number(text.replaceAll('_', ''))
  if (Number.isInteger(number) && number >= least) return number
  throw new Error(`--${name} ${text}: expected a whole number of at least ${least}`)
}

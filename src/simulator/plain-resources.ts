/** What the records of a tenant are made from. */
export interface PlainSeed {
  readonly tenant: 'primary' | 'second'
  readonly seed: number
  /** Reference time of dates, epoch milliseconds. */
  readonly now: number
  /** Whether there is one record of each kind of problem. */
  readonly problems: boolean
}

interface Plain {
  readonly permission: string
  /** One record, all records in one answer, or pages in the order of `createdAt`, with a cursor and no `updatedAfter`. */
  readonly answer: 'single' | 'whole' | 'page'
  /** Kinds of the fields; the first is the id of a record, but for a single one. */
  readonly fields: Readonly<Record<string, 'boolean' | 'guid' | 'integer' | 'text' | 'text?' | 'time' | 'time?'>>
  /** At least one; times in epoch milliseconds. A record that is added resembles the first but for its id. */
  readonly seed: (of: PlainSeed) => readonly Readonly<Record<string, unknown>>[]
}

/** The resources under `/api/public/<name>` that the rest of the simulator does not know by name. */
export const plainResources = {
  'authentication-settings': {
    permission: 'Api_AuthSettings_Read',
    answer: 'single',
    fields: {
      ssoEnabled: 'boolean',
      ssoEnforced: 'boolean',
      providerType: 'text?',
      tenantName: 'text?',
      mfaEnabled: 'boolean',
    },
    // Single sign-on that is not enforced in the primary tenant, none at all in the second; without problems enforced.
    seed: ({ tenant, problems }) => {
      const hasSso = !problems || tenant === 'primary'
      const providerType = hasSso ? 'AzureAD' : null
      const tenantName = hasSso ? `${tenant}.example` : null
      return [{ ssoEnabled: hasSso, ssoEnforced: !problems, providerType, tenantName, mfaEnabled: hasSso }]
    },
  },
} as const satisfies Readonly<Record<string, Plain>>

export type PlainName = keyof typeof plainResources
export const plainNames = Object.keys(plainResources) as PlainName[]

export const plainFields = Object.fromEntries(plainNames.map((name) => [name, plainResources[name].fields])) as {
  readonly [N in PlainName]: (typeof plainResources)[N]['fields']
}

/** How a plain resource is answered. */
export function answerOf(name: PlainName): Plain['answer'] {
  return plainResources[name].answer
}

import type { Fetched, Oddity } from '../api/reader.ts'
import type { TenantSettings } from '../config/settings.ts'
import { type ContractEventKind, contractEventMeanings } from '../model/contract-events.ts'
import type { ResourceDefinition } from '../model/resource.ts'
import { odditiesOf, oddityWords } from '../sync/contract-events.ts'
import { type Diagnosis, warning } from './diagnosis.ts'

interface Answered {
  readonly definition: ResourceDefinition
  /** Null when it could not be read. */
  readonly page: Fetched | null
}

/** Most fields named for the same resources. */
const mostNamed = 10

/** Deviations from the specification on the first pages, by names of fields: one warning for each kind. */
export function diagnoseDeviations(probed: readonly Answered[], settings: TenantSettings): readonly Diagnosis[] {
  const answered = probed.flatMap(({ definition, page }) =>
    page === null ? [] : [{ resource: definition.name, found: deviationsOf(definition, page, settings) }],
  )
  const kinds = new Map<ContractEventKind, Map<string, Set<string>>>()
  for (const { resource, found } of answered) {
    for (const { kind, field, detail } of found) {
      const fields = kinds.get(kind) ?? new Map<string, Set<string>>()
      const words = oddityWords(field, detail)
      kinds.set(kind, fields.set(words, (fields.get(words) ?? new Set()).add(resource)))
    }
  }
  return [...kinds].map(([kind, fields]) =>
    warning('deviations', `${kind} in ${placesOf(fields, answered.length)}`, contractEventMeanings[kind]),
  )
}

function deviationsOf(definition: ResourceDefinition, page: Fetched, settings: TenantSettings): readonly Oddity[] {
  // A field of the envelope may mean that the answer is partial.
  const ofEnvelope = (page.meta.oddities ?? []).filter(({ kind }) => kind.startsWith('unknown_'))
  const ofRecords = odditiesOf({ definition, context: { settings } }, page)
  // The line about the clock has unreadable times.
  return [...ofEnvelope, ...(page.oddities ?? []), ...ofRecords].filter(({ kind }) => kind !== 'unreadable_time')
}

/** Fields grouped by resources: `all answers: meta.region; users: avatar, locale`. */
function placesOf(fields: ReadonlyMap<string, ReadonlySet<string>>, answers: number): string {
  const places = Map.groupBy(fields, ([, resources]) =>
    resources.size === answers && answers > 1 ? 'all answers' : [...resources].join(', '),
  )
  return [...places]
    .map(([place, same]) => {
      const names = same.slice(0, mostNamed).map(([name]) => name)
      const more = same.length > mostNamed ? ` and ${same.length - mostNamed} more` : ''
      return `${place}: ${names.join(', ')}${more}`
    })
    .join('; ')
}

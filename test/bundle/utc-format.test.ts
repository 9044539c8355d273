import fc from 'fast-check'
import { expect, it, vi } from 'vitest'
import { DateTimeFormat } from '../../tools/utc-format.ts'

/** The two sets of options with which node-cron reads a wall clock. */
const asked: readonly Intl.DateTimeFormatOptions[] = [
  {
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    weekday: 'short',
    hour12: false,
  },
  { timeZoneName: 'shortOffset' },
]

/** As node-cron reads them: by type, numbers without their zeros, and hour 24 for 0. */
function read(parts: readonly Intl.DateTimeFormatPart[], types: ReadonlySet<string>) {
  const shown = parts.filter(({ type }) => types.has(type))
  return Object.fromEntries(shown.map(({ type, value }) => [type, value === '24' ? 0 : Number(value) || value]))
}

it('reads the wall clock of UTC as Intl does', () => {
  const dates = fc.date({ min: new Date('1970-01-01'), max: new Date('2400-12-31'), noInvalidDate: true })
  for (const options of asked) {
    const real = new Intl.DateTimeFormat('en-US', { ...options, timeZone: 'UTC' })
    const types = new Set(Object.keys(options))
    const own = DateTimeFormat('en-US', { ...options, timeZone: 'UTC' })
    fc.assert(
      fc.property(dates, (date) => {
        expect(read(own.formatToParts(date), types)).toEqual(read(real.formatToParts(date), types))
      }),
      { examples: [[new Date('2028-02-29T00:00:00Z')], [new Date('2026-12-31T23:59:59.999Z')]] },
    )
  }
})

it('leaves every other zone, and that of the machine, to Intl', () => {
  const real = vi.spyOn(Intl, 'DateTimeFormat')
  for (const options of [{ timeZone: 'Asia/Kolkata' }, {}]) {
    expect(DateTimeFormat('en-US', options)).toBe(real.mock.results.at(-1)?.value)
    expect(real).toHaveBeenLastCalledWith('en-US', options)
  }
  real.mockRestore()
})

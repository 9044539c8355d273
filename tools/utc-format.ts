/** What `node-cron` asks of `Intl.DateTimeFormat`, and nothing more. */
type Format = Pick<Intl.DateTimeFormat, 'formatToParts'>

const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']

/**
 * Stands in for `Intl.DateTimeFormat` where the wall clock of a time zone is read. That of UTC, the default, needs none of
 * the tables of zones and languages: 6 MiB that stay in memory from the first use on. Other zones are left to Node. It is
 * called with `new`.
 */
export function DateTimeFormat(locale: string, options: Intl.DateTimeFormatOptions): Format {
  if (options.timeZone !== 'UTC') return new Intl.DateTimeFormat(locale, options)
  return { formatToParts: (date) => partsOf(new Date(date ?? Date.now())) }
}

/** All parts that are ever asked for; whoever reads them picks by type. */
function partsOf(date: Date): Intl.DateTimeFormatPart[] {
  return [
    { type: 'weekday', value: weekdays[date.getUTCDay()] ?? '' },
    { type: 'month', value: digits(date.getUTCMonth() + 1) },
    { type: 'day', value: digits(date.getUTCDate()) },
    { type: 'year', value: String(date.getUTCFullYear()) },
    { type: 'hour', value: digits(date.getUTCHours()) },
    { type: 'minute', value: digits(date.getUTCMinutes()) },
    { type: 'second', value: digits(date.getUTCSeconds()) },
    { type: 'timeZoneName', value: 'GMT+0' },
  ]
}

function digits(value: number): string {
  return String(value).padStart(2, '0')
}

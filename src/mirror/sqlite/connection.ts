import BetterSqlite3 from 'better-sqlite3'

/** A parameter that an equality, a limit or an offset compares with. */
const weighed = /(=|\bis|\blimit|\boffset) \?/gi

/**
 * A connection for statements that are run again and again.
 *
 * They keep the plan they were prepared with. SQLite would compile many of them again at each run, ten times as long as
 * running them takes, because it weighs the bound values: always those of a limit, and those of an equality that are 0 or
 * 1, as the id of the first tenant is. A unary plus hides a parameter from the planner and changes no value.
 */
export class Connection extends BetterSqlite3 {
  readonly #atOnce = super.transaction((body: () => unknown) => body()).immediate

  override prepare<Bind extends unknown[] | object = unknown[], Row = unknown>(text: string) {
    return super.prepare<Bind, Row>(text.replace(weighed, '$1 +?'))
  }

  /** As `transaction(body).immediate()`, which takes longer to make its functions than to begin and to commit. */
  atOnce<T>(body: () => T): T {
    return this.#atOnce(body) as T
  }
}

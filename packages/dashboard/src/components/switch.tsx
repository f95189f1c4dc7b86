/** Something that is on or off, and changes at once. */
export function Switch(props: { label: string; hint?: string; isOn: boolean; onChange: (isOn: boolean) => void }) {
  return (
    <label class="switch">
      <span class="switch-words">
        <span>{props.label}</span>
        {props.hint !== undefined && <span class="hint">{props.hint}</span>}
      </span>
      <input
        type="checkbox"
        role="switch"
        checked={props.isOn}
        onChange={(event) => props.onChange(event.currentTarget.checked)}
      />
    </label>
  )
}

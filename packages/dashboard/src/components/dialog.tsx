import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

/** A dialog over the page. The browser keeps the focus inside, and Escape closes it. */
export function Dialog(props: { title: string; onClose: () => void; children: ComponentChildren; isWide?: boolean }) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    dialog.current?.showModal()
  }, [])
  const closeOutside = (event: MouseEvent) => {
    if (event.target === dialog.current) props.onClose()
  }
  return (
    <dialog
      ref={dialog}
      class={`dialog ${props.isWide === true ? 'is-wide' : ''}`}
      aria-label={props.title}
      onClose={props.onClose}
      onClick={closeOutside}
    >
      <div class="dialog-body">{props.children}</div>
    </dialog>
  )
}

/** Asks before something that cannot be undone. The safe answer comes first, so it has the focus. */
export function ConfirmDialog(props: {
  title: string
  text: string
  confirm: string
  dismiss: string
  onConfirm: () => void
  onClose: () => void
}) {
  const confirm = () => {
    props.onConfirm()
    props.onClose()
  }
  return (
    <Dialog title={props.title} onClose={props.onClose}>
      <h2>{props.title}</h2>
      <p>{props.text}</p>
      <div class="dialog-buttons">
        <button type="button" class="button" onClick={props.onClose}>
          {props.dismiss}
        </button>
        <button type="button" class="button danger" onClick={confirm}>
          {props.confirm}
        </button>
      </div>
    </Dialog>
  )
}

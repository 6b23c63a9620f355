// The bell in the top bar: how many notices are unread, and the list of them.
import { useState } from 'react';
import { drawTime } from '../lib/times.ts';
import { usePage } from '../state/page-context.ts';
import { usePart, useWatched } from '../state/store.ts';
import { Button } from '../ui/controls.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Icon } from '../ui/icon.tsx';
import { Empty } from '../ui/states.tsx';

export function NoticesMenu() {
  const { notices } = usePage();
  const [isOpen, setIsOpen] = useState(false);
  const unread = usePart(notices.list, (list) => list.filter(({ isRead }) => !isRead).length);
  const close = () => {
    setIsOpen(false);
    notices.markRead();
  };
  return (
    <>
      <Button className="icon-btn bell" testId="bell" onClick={() => setIsOpen(true)}>
        <Icon name="bell" size={18} />
        <span className="sr">Notices, </span>
        {unread > 0 ? <span className="count">{unread}</span> : <span className="sr">none unread</span>}
      </Button>
      <Dialog title="Notices" isOpen={isOpen} onClose={close} testId="notices">
        <NoticeList />
      </Dialog>
    </>
  );
}

function NoticeList() {
  const { notices, clock } = usePage();
  const list = useWatched(notices.list);
  const hasAlerts = useWatched(notices.hasAlerts);
  const now = useWatched(clock.seconds);
  return (
    <div className="pad stack">
      {list.length === 0 && (
        <Empty text="Nothing yet. Fills, settlements, failures, results and redemptions appear here." />
      )}
      <ul className="notices">
        {list.map(({ id, time, title, text, isRead }) => (
          <li key={id} data-testid="notice" data-read={isRead}>
            <b>{title}</b>
            {text && <p className="sm t2">{text}</p>}
            <p className="xs t3">
              {drawTime(time, now)}
              {!isRead && ', new'}
            </p>
          </li>
        ))}
      </ul>
      {'Notification' in globalThis && (
        <Button
          look="line sm"
          role="switch"
          aria-checked={hasAlerts}
          testId="alerts"
          onClick={() => void notices.switchAlerts()}
        >
          Browser notifications: {hasAlerts ? 'on' : 'off'}
        </Button>
      )}
      {'Notification' in globalThis && Notification.permission === 'denied' && (
        <p className="sm t2" role="status">
          Your browser blocks them for this site.
        </p>
      )}
    </div>
  );
}
